"""Drafts of sources: what somebody asks for, checked, as it is to be stored. No database."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api import own_folder
from graphstore import limits
from graphstore.errors import InvalidInput
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.records import KEPT, STORE, SourceKind
from graphstore.sources import SourceDraft

KINDS: Final[tuple[SourceKind, ...]] = (
    *("filesystem", "git", "maildir", "mbox", "inbox", "memory"),
)
SLUG: Final = re.compile(limits.SLUG)
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
    patterns: tuple[str, ...] = ()
    """Kind memory: further files that are memories; `!` in front takes away."""
    tags: tuple[str, ...] = ()
    """Kind memory: tags of every memory file."""
    declared: bool = False
    """Whether garage.json declares it."""


def drafted(request: SourceRequest) -> SourceDraft:
    """Return a source as it is to be stored.

    Raises:
        InvalidInput: the slug, kind, class, trust or root is not one that can be.
    """
    if not SLUG.fullmatch(request.slug):
        message = f"'{request.slug}' cannot name a source."
        raise InvalidInput(message, hint="Use a-z, digits and hyphens, at most 40, a letter first.")
    if request.slug == KEPT:
        message = f"'{KEPT}' names the documents of sources that were removed."
        raise InvalidInput(message, hint="Take another name.")
    if len(request.ignore) > MAX_PATTERNS:
        message = f"{len(request.ignore):,} patterns to ignore; at most {MAX_PATTERNS}."
        raise InvalidInput(message, hint="Put them into a .gitignore in the folder.")
    root, kind = _place(request)
    return SourceDraft(
        slug=request.slug,
        kind=kind,
        root=root,
        default_class=_one_of("class", request.default_class or _class_of(kind), CLASSES),
        default_trust=_one_of("trust", request.default_trust or _trust_of(kind), TRUST_TIERS),
        ignore=request.ignore,
        patterns=request.patterns,
        tags=tuple(dict.fromkeys(request.tags)),
        standing="declared" if request.declared else "added",
    )


def _place(request: SourceRequest) -> tuple[str, SourceKind]:
    """Return the root of a source as it is stored, and its kind."""
    if request.root == STORE:
        if request.kind not in {"", "memory"}:
            message = f"{STORE} is a store of memories, not a source of kind {request.kind}."
            raise InvalidInput(message, hint="Leave out the kind, or say memory.")
        return STORE, "memory"
    root = _root(request.root)
    kind = _kind(request.kind, root)
    if kind != "mbox" and not root.is_dir():
        message = f"{root} is no folder, and a source of kind {kind} is one."
        raise InvalidInput(message, hint="Name the folder that holds the files.")
    if kind != "memory" and (request.patterns or request.tags):
        message = f"Patterns and tags are of memory files; '{request.slug}' is of kind {kind}."
        raise InvalidInput(message, hint="Say kind memory, or leave them out.")
    return str(root), kind


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
    for place in (found, *found.parents):
        if own_folder.is_own(place):
            message = f"{root} is where Garage keeps its data; that is no source."
            raise InvalidInput(message, hint="Name the folder of your own files.")
    return found


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
