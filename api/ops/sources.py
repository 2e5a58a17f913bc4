"""Sources: the places that documents come from, added, listed and removed."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.ops.garage import Caller, Garage, activity
from graphstore import limits, sources
from graphstore.errors import Conflict, InvalidInput
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.records import Source, SourceKind
from graphstore.sources import Removed, SourceDraft

KINDS: Final[tuple[SourceKind, ...]] = ("filesystem", "git", "maildir", "mbox", "inbox")
SLUG: Final = re.compile(limits.SLUG)
_MAIL: Final = frozenset({"maildir", "mbox"})


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """A source as it is asked for. Empty = found out, or the default."""

    slug: str
    root: str
    kind: str = ""
    default_class: str = ""
    default_trust: str = ""
    ignore: tuple[str, ...] = ()
    declared: bool = False
    """Whether garage.json declares it."""


@dataclass(frozen=True, slots=True)
class Added:
    """A source that was added or changed, as it is stored."""

    source: Source
    created: bool


@dataclass(frozen=True, slots=True)
class Removal:
    """What the removal of a source took away."""

    slug: str
    documents: int
    chunks: int


def add(garage: Garage, caller: Caller, request: SourceRequest) -> Added:
    """Add a source, or change the one of this slug. Nothing is read yet.

    Raises:
        InvalidInput: the slug, kind, class, trust or root is not one that can be.
        Conflict: a source of this slug is being removed, or has another root.
    """
    draft = _draft(request)
    _refuse_another(garage, draft)
    verb = activity(garage, caller, "add-source", targets=(f"source:{draft.slug}",))
    created = sources.put(garage.graph, draft, verb, garage.clock.now())
    return Added(sources.get(garage.graph, draft.slug), created)


def declare(garage: Garage, caller: Caller, request: SourceRequest) -> None:
    """Add a source that the settings file declares, unless it is there just so or being removed.

    Raises:
        InvalidInput: the slug, kind, class, trust or root is not one that can be.
    """
    draft = _draft(request)
    stored = {source.slug: source for source in sources.listed(garage.graph)}.get(draft.slug)
    if stored is None or _as_draft(stored) != draft:
        with suppress(Conflict):
            add(garage, caller, request)


def listed(garage: Garage) -> tuple[Source, ...]:
    """Return every source with its counts, by slug."""
    return sources.listed(garage.graph)


def get(garage: Garage, slug: str) -> Source:
    """Return one source with its counts.

    Raises:
        NotFound: there is none of this slug.
    """
    return sources.get(garage.graph, slug)


def remove(garage: Garage, caller: Caller, slug: str, reason: str = "") -> Removal:
    """Remove a source with everything that came from it; its files stay where they are.

    Raises:
        NotFound: there is none of this slug.
    """
    verb = activity(garage, caller, "remove-source", reason, targets=(f"source:{slug}",))
    removed: Removed = sources.remove(garage.graph, slug, verb)
    return Removal(slug, removed.documents, removed.chunks)


def _draft(request: SourceRequest) -> SourceDraft:
    if not SLUG.fullmatch(request.slug):
        message = f"'{request.slug}' cannot name a source."
        raise InvalidInput(message, hint="Use a-z, digits and hyphens, at most 40, a letter first.")
    root = _root(request.root)
    kind = _kind(request.kind, root)
    if kind != "mbox" and not root.is_dir():
        message = f"{root} is no folder, and a source of kind {kind} is one."
        raise InvalidInput(message, hint="Name the folder that holds the files.")
    return SourceDraft(
        slug=request.slug,
        kind=kind,
        root=str(root),
        default_class=_one_of("class", request.default_class or _class_of(kind), CLASSES),
        default_trust=_one_of("trust", request.default_trust or _trust_of(kind), TRUST_TIERS),
        ignore=request.ignore,
        declared=request.declared,
    )


def _root(asked: str) -> Path:
    try:
        root = Path(asked).expanduser()
        is_there = root.is_absolute() and root.exists()
        found = root.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        # A home that nobody has, a name too long, a null character, a folder that is closed.
        message = f"The root {asked!r} cannot be looked at."
        raise InvalidInput(message, hint="Name a folder or a file that is there.") from error
    if not root.is_absolute():
        message = f"The root '{asked}' is not an absolute path."
        raise InvalidInput(message, hint="Begin it with a slash or with ~.")
    if not is_there:
        message = f"There is nothing at {root}."
        raise InvalidInput(message, hint="Name a folder or a file that is there.")
    return found


def _refuse_another(garage: Garage, draft: SourceDraft) -> None:
    """Refuse to turn a source into another: what it holds would belong to neither."""
    stored = {source.slug: source for source in sources.listed(garage.graph)}.get(draft.slug)
    if stored and stored.root != draft.root:
        message = f"The source '{draft.slug}' is {stored.root}."
        hint = f"Take another name, or run 'garage remove-source {draft.slug}' first."
        raise Conflict(message, hint=hint)


def _as_draft(source: Source) -> SourceDraft:
    return SourceDraft(
        slug=source.slug,
        kind=source.kind,
        root=source.root,
        default_class=source.default_class,
        default_trust=source.default_trust,
        ignore=source.ignore,
        declared=source.declared,
    )


def _kind(asked: str, root: Path) -> SourceKind:
    for kind in KINDS:
        if kind == asked:
            return kind
    if asked:
        message = f"'{asked}' is no kind of source."
        raise InvalidInput(message, hint=f"It may be: {', '.join(KINDS)}.")
    if (root / ".git").exists():
        return "git"
    if (root / "cur").is_dir() and (root / "new").is_dir():
        return "maildir"
    return "mbox" if root.is_file() else "filesystem"


def _class_of(kind: SourceKind) -> str:
    return "communication" if kind in _MAIL else "code" if kind == "git" else "document"


def _trust_of(kind: SourceKind) -> str:
    return "received" if kind in _MAIL else "authored"


def _one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        message = f"'{value}' is no {name}."
        raise InvalidInput(message, hint=f"It may be: {', '.join(allowed)}.")
    return value
