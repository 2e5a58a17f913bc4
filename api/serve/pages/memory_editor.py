"""Memory editor: adding a memory and changing one. What was typed is never lost.

A form that cannot be saved comes back as it was typed, with the reason. When the memory was changed
meanwhile, the form comes back with both: what the person wrote, and what the memory says now.
"""

from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from api.ops import memories as ops
from api.ops import memory_checks, memory_lists, sources
from api.ops.garage import Caller, Garage
from api.ops.memories import Remembered
from api.ops.memory_drafts import USUAL_IMPORTANCE
from api.ops.sources import DEFAULT_STORE
from api.serve.pages import memory_form
from api.serve.pages.desk import STATUS, Desk
from api.serve.pages.memory_form import ADDED, CHANGED, Typed
from api.serve.pages.posted import Sent, see
from api.serve.pages.rendering import page
from graphstore.errors import Conflict, GarageError, InvalidInput, NotFound, Refused, TooLarge
from graphstore.memories import Memory
from graphstore.privacy import CLASSES, TRUST_TIERS

_TOLD: Final = (InvalidInput, TooLarge, Conflict, NotFound, Refused)
"""What a form is shown again for."""
_NEW: Final = {
    **dict.fromkeys(ADDED, ""),
    "kind": "note",
    "source": DEFAULT_STORE,
    "importance": str(USUAL_IMPORTANCE),
}
_CHOICES: Final = {"kind": memory_checks.KINDS, "class": CLASSES, "trust": TRUST_TIERS}


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A change that another one came before."""

    now: Memory
    mine: Typed
    """What the person wrote, with what it says now where the person changed nothing."""
    both: tuple[str, ...]
    """The fields that both changed, each to something else."""


class MemoryEditor:
    """The forms of memories."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def blank(self, request: Request) -> Response:
        """Show the form for a new memory."""
        asked = request.query_params.get("source", "")
        return await self._new({**_NEW, "source": asked or DEFAULT_STORE})

    async def add(self, caller: Caller, sent: Sent) -> Response:
        """Remember what the form says."""
        typed = memory_form.read(sent)
        try:
            request = memory_form.to_remember(typed)
            done = await self._desk.run(ops.remember, caller, request)
        except _TOLD as error:
            return await self._new(typed, error)
        return see("/memory", id=done.memory.uid, done="remembered" if done.created else "known")

    async def filled(self, request: Request) -> Response:
        """Show the form for a memory, with what it says now."""
        uid = request.query_params.get("id", "")
        memory = await self._desk.run(_editable, uid)
        return _form(memory_form.typed(memory), uid=uid, revision=memory.revision)

    async def save(self, caller: Caller, sent: Sent) -> Response:
        """Change what the form changed."""
        uid, revision, typed = sent.one("id"), sent.number("revision"), memory_form.read(sent)
        try:
            done = await self._desk.run(_save, caller, uid, revision, typed)
        except _TOLD as error:
            return _form(typed, error, uid=uid, revision=revision)
        if isinstance(done, Overtaken):
            seen = done.now.revision
            return _form(done.mine, uid=uid, revision=seen, overtaken=done)
        is_saved = done.memory.revision != revision
        return see("/memory", id=uid, done="saved" if is_saved else "unchanged")

    async def _new(self, typed: Typed, problem: GarageError | None = None) -> Response:
        stores = await self._desk.run(_stores)
        return _form(typed, problem, stores=stores)


def _form(
    typed: Typed, problem: GarageError | None = None, uid: str = "", revision: int = 0, **more: Any
) -> Response:
    """Show a form; without a uid it is that of a new memory."""
    overtaken: Overtaken | None = more.get("overtaken")
    status = STATUS[_kind(problem)] if problem else STATUS[Conflict] if overtaken else 200
    values: dict[str, Any] = {
        "typed": typed,
        "problem": problem,
        "wrong": memory_form.field_of(problem) if problem else "",
        "uid": uid,
        "revision": revision,
        "overtaken": overtaken,
        "stores": more.get("stores", ()),
        "names": ADDED,
        "choices": _CHOICES,
        "most": memory_checks.MAX_CHARACTERS,
    }
    return page("memory_form.html", status, **values)


def _kind(problem: GarageError) -> type[GarageError]:
    return next(kind for kind in type(problem).__mro__ if kind in STATUS)


def _stores(garage: Garage) -> tuple[str, ...]:
    return tuple(
        each.slug for each in sources.listed(garage) if each.kind == "memory" and each.is_store
    )


def _editable(garage: Garage, uid: str) -> Memory:
    ops.require_editable(garage, uid)
    return memory_lists.get(garage, uid)


def _save(
    garage: Garage, caller: Caller, uid: str, revision: int, typed: Typed
) -> Remembered | Overtaken:
    memory = _editable(garage, uid)
    if memory.revision == revision:
        request = memory_form.to_change(typed, memory_form.typed(memory), revision)
        try:
            return ops.update(garage, caller, uid, request)
        except Conflict:
            # Another text of the store, or a change in the very moment.
            memory = memory_lists.get(garage, uid)
            if memory.revision == revision:
                raise
    return _overtaken(garage, memory, revision, typed)


def _overtaken(garage: Garage, memory: Memory, revision: int, typed: Typed) -> Overtaken:
    kept = (e for e in ops.history(garage, memory.uid) if e.number == revision)
    before = next((memory_form.typed(each) for each in kept), None)
    now = memory_form.typed(memory)
    mine = memory_form.merged(typed, now, before)
    theirs = frozenset(CHANGED) if before is None else memory_form.differing(now, before)
    both = memory_form.differing(mine, now) & theirs
    return Overtaken(memory, mine, tuple(name for name in CHANGED if name in both))
