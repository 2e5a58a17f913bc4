"""Sources: the places that documents come from, added, listed and removed."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from api.ops.garage import Caller, Garage, activity
from graphstore import limits, removals, sources
from graphstore.errors import Conflict, InvalidInput, Refused
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.records import KEPT, Source, SourceKind
from graphstore.removals import Removal
from graphstore.sources import SourceDraft

KINDS: Final[tuple[SourceKind, ...]] = ("filesystem", "git", "maildir", "mbox", "inbox")
SLUG: Final = re.compile(limits.SLUG)
MAX_REASON: Final = 1_000
"""Characters of a reason in the activity log."""
MAX_PATTERNS: Final = 500
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
    warnings: tuple[str, ...] = ()
    """What may not be meant: another source reads the same files."""


@dataclass(frozen=True, slots=True)
class RemovalRequest:
    """How a source is to be removed."""

    keep_documents: bool = False
    """Move its documents to the source `kept`."""
    discard_kept: bool = False
    """Said on purpose by whoever removes the source `kept` with its documents."""
    at_most_s: float = math.inf
    """After so long the removal says how far it is; the next one goes on."""


EVERYTHING: Final = RemovalRequest()


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
    return Added(sources.get(garage.graph, draft.slug), created, _overlaps(garage, draft))


def declare(garage: Garage, caller: Caller, request: SourceRequest) -> None:
    """Add a source that the settings file declares, unless it is there just so.

    Raises:
        InvalidInput: the slug, kind, class, trust or root is not one that can be.
        Conflict: a source of this slug is being removed, or has another root.
    """
    draft = _draft(request)
    stored = {source.slug: source for source in sources.listed(garage.graph)}.get(draft.slug)
    if stored is None or _as_draft(stored) != draft:
        add(garage, caller, request)


def undeclare(garage: Garage, caller: Caller, declared: Sequence[str]) -> tuple[str, ...]:
    """Mark sources that the settings file declared and declares no longer; return their slugs.

    They stay, with their documents, and are read when they are named: until they are removed, or
    declared or added again.
    """
    reason = "garage.json no longer declares it"
    verb = activity(garage, caller, "undeclare-source", reason)
    return sources.undeclare(garage.graph, declared, verb)


def listed(garage: Garage) -> tuple[Source, ...]:
    """Return every source with its counts, by slug."""
    return sources.listed(garage.graph)


def get(garage: Garage, slug: str) -> Source:
    """Return one source with its counts.

    Raises:
        NotFound: there is none of this slug.
    """
    return sources.get(garage.graph, slug)


def remove(
    garage: Garage,
    caller: Caller,
    slug: str,
    reason: str = "",
    how: RemovalRequest = EVERYTHING,
) -> Removal:
    """Remove a source; its documents go too, or move to the source `kept`. Its files stay.

    Raises:
        NotFound: there is none of this slug.
        InvalidInput: the reason is longer than `MAX_REASON`.
        Refused: it is the source `kept`, and nobody said so on purpose.
        Conflict: a removal that keeps the documents was begun, and this one would not.
    """
    check_removal(garage, slug, how)
    if len(reason) > MAX_REASON:
        message = f"The reason has {len(reason):,} characters; at most {MAX_REASON:,}."
        raise InvalidInput(message, hint="Say it shorter.")
    verb = activity(garage, caller, "remove-source", reason, targets=(f"source:{slug}",))
    removals.begin(garage.graph, slug, keeps=how.keep_documents, now=verb.at)
    deadline = time.monotonic() + how.at_most_s
    while removals.step(garage.graph, slug, verb.at):
        if time.monotonic() > deadline:
            return removals.standing(garage.graph, slug)
    return removals.finish(garage.graph, slug, verb)


def check_removal(garage: Garage, slug: str, how: RemovalRequest) -> None:
    """Do nothing when a source may be removed so; otherwise raise what `remove` would."""
    sources.get(garage.graph, slug)
    if slug == KEPT and how.keep_documents:
        raise Conflict(f"The documents of '{KEPT}' are kept already.", hint="There is no need to.")
    if slug == KEPT and not how.discard_kept:
        message = f"'{KEPT}' holds the documents of removed sources, which were kept on purpose."
        hint = "To remove them for good: garage remove-source kept --discard-kept"
        raise Refused(message, hint=hint)


def _draft(request: SourceRequest) -> SourceDraft:
    if not SLUG.fullmatch(request.slug):
        message = f"'{request.slug}' cannot name a source."
        raise InvalidInput(message, hint="Use a-z, digits and hyphens, at most 40, a letter first.")
    if request.slug == KEPT:
        message = f"'{KEPT}' names the documents of sources that were removed."
        raise InvalidInput(message, hint="Take another name.")
    if len(request.ignore) > MAX_PATTERNS:
        message = f"{len(request.ignore):,} patterns to ignore; at most {MAX_PATTERNS}."
        raise InvalidInput(message, hint="Put them into a .gitignore in the folder.")
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
        standing="declared" if request.declared else "added",
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


def _overlaps(garage: Garage, draft: SourceDraft) -> tuple[str, ...]:
    """Say which other sources read the same files: what both read is stored twice."""
    root = PurePath(draft.root)
    found: list[str] = []
    for other in sources.listed(garage.graph):
        if other.slug == draft.slug or not other.root:
            continue
        if root == PurePath(other.root):
            how = "reads the same root"
        elif root.is_relative_to(other.root):
            how = f"reads {other.root}, in which this root lies"
        elif PurePath(other.root).is_relative_to(root):
            how = f"reads {other.root}, which lies in this root"
        else:
            continue
        found.append(f"The source '{other.slug}' {how}: what both read is stored twice.")
    return tuple(found)


def _as_draft(source: Source) -> SourceDraft:
    return SourceDraft(
        slug=source.slug,
        kind=source.kind,
        root=source.root,
        default_class=source.default_class,
        default_trust=source.default_trust,
        ignore=source.ignore,
        standing=source.standing,
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
