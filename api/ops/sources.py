"""Sources: the places that documents come from, added, listed and removed."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from api.ops.garage import SERVICE, Caller, Garage, activity
from api.ops.source_drafts import KINDS, SLUG, SourceRequest, drafted
from graphstore import removals, sources
from graphstore.errors import Conflict, InvalidInput, Refused
from graphstore.records import DROPS, KEPT, STORE, Source
from graphstore.removals import Removal
from graphstore.sources import SourceDraft

__all__ = ["KINDS", "SLUG", "SourceRequest"]

MAX_REASON: Final = 1_000
"""Characters of a reason in the activity log."""
DEFAULT_STORE: Final = "default"
"""The store that is there from set-up, where memories go when nobody names another."""
_WRITTEN: Final = frozenset({STORE, DROPS})


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
    draft = drafted(request)
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
    draft = drafted(request)
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


def set_up(garage: Garage) -> None:
    """Make the store that is always there, unless it is; a source of its name is left alone."""
    if sources.defaults(garage.graph, DEFAULT_STORE) is None:
        add(garage, SERVICE, SourceRequest(DEFAULT_STORE, STORE))


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
    found = sources.get(garage.graph, slug)
    if slug == KEPT and how.keep_documents:
        raise Conflict(f"The documents of '{KEPT}' are kept already.", hint="There is no need to.")
    if slug == DEFAULT_STORE and found.is_store:
        message = f"'{slug}' is the store of memories that is always there."
        raise Refused(message, hint="'garage memory forget' removes what is in it.")
    if slug == KEPT and not how.discard_kept:
        message = f"'{KEPT}' holds the documents of removed sources, which were kept on purpose."
        hint = "To remove them for good: garage remove-source kept --discard-kept"
        raise Refused(message, hint=hint)


def _refuse_another(garage: Garage, draft: SourceDraft) -> None:
    """Refuse to turn a source into another: what it holds would belong to neither."""
    stored = {source.slug: source for source in sources.listed(garage.graph)}.get(draft.slug)
    if stored and stored.root != draft.root:
        message = f"The source '{draft.slug}' is {stored.root}."
        hint = f"Take another name, or run 'garage remove-source {draft.slug}' first."
        raise Conflict(message, hint=hint)
    if stored and (stored.kind == "memory") != (draft.kind == "memory"):
        message = f"'{draft.slug}' is of kind {stored.kind}, and what it holds with it."
        hint = f"Take another name, or run 'garage remove-source {draft.slug}' first."
        raise Conflict(message, hint=hint)


def _overlaps(garage: Garage, draft: SourceDraft) -> tuple[str, ...]:
    """Say which other sources read the same files: what both read is stored twice."""
    root = PurePath(draft.root)
    found: list[str] = []
    for other in sources.listed(garage.graph):
        if other.slug == draft.slug or not other.root or {other.root, draft.root} & _WRITTEN:
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
        patterns=source.patterns,
        tags=source.tags,
        standing=source.standing,
    )
