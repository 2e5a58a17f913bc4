"""Memories: remembered, changed, confirmed. One write path for every door.

A write is stored, cut into chunks and embedded in the same call, with no transaction open while a
model works. An embedder that fails never fails a write: the reply says which models are pending.

What an assistant writes counts as written by it, under its name, until the owner confirms it. An
assistant that changes the text of a memory takes its confirmation away; the owner who changes one
confirms it by that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from api.ops import memory_drafts
from api.ops.garage import Caller, Garage, activity
from api.ops.memory_drafts import Said, embed
from api.ops.memory_requests import ChangeRequest, RememberRequest
from graphstore import memories, memory_removal, memory_writes, sources
from graphstore.clock import new_uid
from graphstore.documents import Writing
from graphstore.errors import Conflict, InvalidInput, NotFound, Refused
from graphstore.memories import Memory, Revision, Standing
from graphstore.memory_removal import Traces
from graphstore.memory_writes import Earlier
from graphstore.records import STORE
from graphstore.sources import Defaults

__all__ = ["ChangeRequest", "RememberRequest"]

MAX_FORGOTTEN: Final = 100
"""Memories that are forgotten together at most: one transaction holds them."""
_NOTHING: Final = "Nothing was to be changed."
_ATTEMPTS: Final = 5
"""Times that a change is made again which another one overtook; a caller's revision is not."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The reply to a write."""

    memory: Memory
    created: bool
    """False when the store held this text already, and for a change."""
    notes: tuple[str, ...] = ()
    """Why vectors are pending, and what else is worth knowing."""

    @property
    def embedded_models(self) -> tuple[str, ...]:
        """Models under which a search finds it by meaning, now."""
        return self.memory.embedded_models

    @property
    def pending_models(self) -> tuple[str, ...]:
        """Models that will follow; until then words find it."""
        return self.memory.pending_models


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a forget removed, or would remove."""

    memory_id: str
    dry_run: bool
    removed: Traces


def remember(garage: Garage, caller: Caller, request: RememberRequest) -> Remembered:
    """Store a memory, or return the one of the same text in the same store, with `created` false.

    A title, tags and evidence that the request names are then applied to that one.

    Raises:
        InvalidInput: an argument is outside its limits, or the source is no memory source.
        TooLarge: the text is too long for a memory; the message names `store`.
        NotFound: there is no such source, or evidence names nothing.
        Refused: the source is a folder of memory files; TooMany: the client's rate is reached.
        Conflict: the store is being removed.
    """
    now = garage.clock.now()
    garage.rates.take(caller.name, garage.settings.memory.writes_per_minute, now)
    return remember_uncounted(garage, caller, request)


def remember_uncounted(garage: Garage, caller: Caller, request: RememberRequest) -> Remembered:
    """Store a memory as part of a write that was counted already. Raises like `remember`."""
    store = _store(garage, request.source)
    said = memory_drafts.said(garage, caller, request, store)
    draft = memory_drafts.draft(garage, said, new_uid())
    writing = _writing(garage, caller, "remember", store.slug)
    uid, created = memory_writes.remember(garage.graph, draft, writing)
    if not created:
        return _said_again(garage, caller, uid, said)
    notes = embed(garage, uid)
    return Remembered(memories.get(garage.graph, uid, garage.clock.now()), created, notes)


def update(garage: Garage, caller: Caller, uid: str, request: ChangeRequest) -> Remembered:
    """Change a memory; its id and address stay, and what it said before is kept as a revision.

    Raises:
        InvalidInput: an argument is outside its limits, or the id is that of another document.
        TooLarge: the text is too long for a memory.
        NotFound: there is no such memory.
        Refused: it is a file; the message names it.
        Conflict: it has another revision, or the store holds the new text as another memory.
    """
    return _change(garage, caller, uid, request)


def undo(
    garage: Garage,
    caller: Caller,
    uid: str,
    number: int | None = None,
    expected_revision: int | None = None,
) -> Remembered:
    """Make a memory say again what it said before its last change, or at revision `number`.

    That is a change too: a second undo takes the first one back.

    Raises:
        NotFound: there is no such memory or revision.
        Refused: it is a file.
        Conflict: it has another revision than `expected_revision`.
    """
    require_editable(garage, uid)
    kept = memories.revisions(garage.graph, uid)
    chosen = [each for each in kept if number is None or each.number == number]
    if not chosen:
        which = "was never changed" if number is None else f"has no revision {number}"
        raise NotFound(f"The memory {which}.", hint="'garage memory history' shows what it said.")
    memory = memories.get(garage.graph, uid, garage.clock.now())
    _require_revision(memory, expected_revision)
    said = memory_drafts.earlier(garage, memory, chosen[0], caller)
    return _write(garage, caller, memory, said, "undo-memory")


def confirm(
    garage: Garage, caller: Caller, uid: str, expected_revision: int | None = None
) -> Remembered:
    """Make a memory the owner's word: authored, confirmed, of full weight.

    Raises:
        Refused: the caller is not the owner, or the memory is a file.
        NotFound: there is no such memory.
        Conflict: it has another revision than `expected_revision`.
    """
    if not caller.is_owner:
        message = f"Only the owner may confirm a memory, not '{caller.name}'."
        raise Refused(message, hint="Run 'garage memory confirm', or use the page of memories.")
    require_editable(garage, uid)
    memory = memories.get(garage.graph, uid, garage.clock.now())
    _require_revision(memory, expected_revision)
    if memory.confirmed and memory.trust == "authored" and memory.tier == "long":
        return Remembered(memory, created=False)
    return _write(garage, caller, memory, memory_drafts.confirmed(memory), "confirm-memory")


def forget(garage: Garage, caller: Caller, uid: str, *, dry_run: bool = False) -> Forgotten:
    """Remove a memory with every trace of it, or say what that would remove.

    Raises:
        NotFound: there is no such memory.
        InvalidInput: the id is that of another document.
        Refused: it is a file; the message names it.
    """
    return forget_together(garage, caller, (uid,), dry_run=dry_run)[0]


def forget_together(
    garage: Garage, caller: Caller, uids: Sequence[str], *, dry_run: bool = False
) -> tuple[Forgotten, ...]:
    """Remove memories in one transaction, none of them when one cannot be; each is named once.

    Raises:
        NotFound: there is no such memory.
        InvalidInput: an id is that of another document, or there are not 1 to `MAX_FORGOTTEN`.
        Refused: one is a file; the message names it.
    """
    each_once = tuple(dict.fromkeys(uids))
    if not 1 <= len(each_once) <= MAX_FORGOTTEN:
        message = f"ids names {len(each_once):,} memories."
        raise InvalidInput(message, hint=f"Name 1 to {MAX_FORGOTTEN} at a time.")
    for uid in each_once:
        _written(garage, uid)
    if dry_run:
        gone = tuple(memory_removal.traces(garage.graph, uid) for uid in each_once)
    else:
        targets = tuple(f"memory:{uid}" for uid in each_once)
        log = activity(garage, caller, "forget-memory", targets=targets)
        gone = memory_removal.forget(garage.graph, each_once, log)
    pairs = zip(each_once, gone, strict=True)
    return tuple(Forgotten(uid, dry_run, removed) for uid, removed in pairs)


def history(garage: Garage, uid: str) -> tuple[Revision, ...]:
    """Return what a memory said before, newest first.

    Raises:
        NotFound: there is no such memory.
    """
    memories.get(garage.graph, uid, garage.clock.now())
    return memories.revisions(garage.graph, uid)


def require_editable(garage: Garage, uid: str) -> None:
    """Do nothing for a memory of a store; raise what a change says of anything else."""
    found = _written(garage, uid)
    if found.root != STORE:
        message = f"The store of this memory was removed; '{found.source}' keeps it as it was."
        raise Conflict(message, hint="Remember it anew in another store, then forget this one.")


def _written(garage: Garage, uid: str) -> Standing:
    """Return what is written down under an id, which must be a memory and no file."""
    found = memories.standing(garage.graph, uid)
    if found is None:
        raise memories.no_such(uid)
    if not found.is_memory:
        message = f"'{uid}' is a document of the source '{found.source}', not a memory."
        raise InvalidInput(message, hint="Name a memory; a list of memories shows their ids.")
    if found.origin == "file":
        message = f"This memory is the file {found.file}."
        raise Refused(message, hint=f"Edit the file, then run 'garage ingest {found.source}'.")
    return found


def _store(garage: Garage, slug: str) -> Defaults:
    """Return what a store says of its memories; what it is not, the write itself says."""
    found = sources.defaults(garage.graph, slug)
    if found is None:
        raise memories.no_such_source(slug)
    return found


def _said_again(garage: Garage, caller: Caller, uid: str, said: Said) -> Remembered:
    """Apply to the memory of a text what was said of it beside the text.

    What the owner says again is the owner's word from then on. What an assistant says again
    changes nothing that is the owner's.
    """
    memory = memories.get(garage.graph, uid, garage.clock.now())
    if memory.confirmed and not caller.is_owner:
        note = "The owner's memory says this already; it was left as it is. Change it by its id."
        return Remembered(memory, created=False, notes=(note,))
    request = ChangeRequest(title=said.title or None, tags=said.tags or None)
    done = _change(garage, caller, uid, request, said.evidence)
    if caller.is_owner and not done.memory.confirmed:
        return confirm(garage, caller, uid)
    return replace(done, notes=tuple(each for each in done.notes if each != _NOTHING))


def _change(
    garage: Garage,
    caller: Caller,
    uid: str,
    request: ChangeRequest,
    evidence: tuple[str, ...] = (),
) -> Remembered:
    for attempt in range(1, _ATTEMPTS + 1):
        require_editable(garage, uid)
        memory = memories.get(garage.graph, uid, garage.clock.now())
        _require_revision(memory, request.expected_revision)
        said = memory_drafts.changed(garage, memory, request, caller)
        if said == memory_drafts.as_said(memory) and not evidence:
            return Remembered(memory, created=False, notes=(_NOTHING,))
        try:
            said = replace(said, evidence=evidence)
            return _write(garage, caller, memory, said, "update-memory")
        except Conflict:
            now = memories.get(garage.graph, uid, garage.clock.now())
            overtaken = now.revision != memory.revision
            if not overtaken or request.expected_revision is not None or attempt == _ATTEMPTS:
                raise
    raise AssertionError


def _write(garage: Garage, caller: Caller, memory: Memory, said: Said, verb: str) -> Remembered:
    draft = memory_drafts.draft(garage, said, memory.uid)
    earlier = Earlier(memory.revision, new_uid(), garage.settings.memory.revisions)
    writing = _writing(garage, caller, verb, memory.source)
    memory_writes.change(garage.graph, draft, earlier, writing)
    notes = embed(garage, memory.uid)
    return Remembered(memories.get(garage.graph, memory.uid, writing.now), False, notes)


def _require_revision(memory: Memory, expected: int | None) -> None:
    if expected is not None and memory.revision != expected:
        raise memories.overtaken(memory.revision, expected)


def _writing(garage: Garage, caller: Caller, verb: str, source: str) -> Writing:
    return Writing(source, "", activity(garage, caller, verb), garage.clock.now())
