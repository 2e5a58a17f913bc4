"""Memory: one memory, what it said before, and what can be done with it but to edit it."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from api.ops import bridge, memory_lists, sources
from api.ops import memories as ops
from api.ops.garage import Caller, Garage
from api.serve.pages.desk import STATUS, Desk
from api.serve.pages.posted import Sent, see
from api.serve.pages.rendering import page
from graphstore.errors import Conflict, GarageError, NotFound
from graphstore.memories import Memory, Revision

TOLD: Final = {
    "remembered": "It is remembered: searches and recalls find it from now on.",
    "known": "This text was remembered already: here is that memory, with the title and tags.",
    "saved": "It is saved. What it said before is in its history.",
    "unchanged": "Nothing was changed, so nothing was saved.",
    "confirmed": "It is your word now: authored, and of full weight.",
    "undone": "It says again what it said then.",
    "reading": "Its source is being read again.",
}
"""What a page says once after something was done, by the word in its address."""
_SHOWN: Final = 20_000
"""Characters of a memory file on its page; the page of the document has them all."""
_SEARCHED: Final = 300
"""Characters of the question that 'search for this' asks."""


@dataclass(frozen=True, slots=True)
class Links:
    """Where the page of a memory leads."""

    memory: Memory

    @property
    def search(self) -> str:
        """A search for what it says."""
        asked = f"{self.memory.title} {self.memory.text}" if self.memory.is_titled else ""
        return f"/search?{_query(q=(asked or self.memory.text)[:_SEARCHED])}"

    @property
    def document(self) -> str:
        """The memory as the document that it is."""
        return f"/document?{_query(ref=self.memory.uri)}"

    @property
    def edit(self) -> str:
        """The form that changes it."""
        return f"/memory/edit?{_query(id=self.memory.uid)}"

    @property
    def history(self) -> str:
        """What it said before."""
        return f"/memory/history?{_query(id=self.memory.uid)}"

    @property
    def forget(self) -> str:
        """The question before it is forgotten."""
        return f"/memories/forget?{_query(id=self.memory.uid)}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as its page shows it."""

    memory: Memory
    earlier: tuple[Revision, ...]
    root: str
    """Where its source is."""


class MemoryPages:
    """The pages of one memory."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, request: Request) -> Response:
        """Show a memory."""
        asked = request.query_params
        told = TOLD.get(asked.get("done", ""), "")
        return await self._page("memory.html", asked.get("id", ""), told=told)

    async def history(self, request: Request) -> Response:
        """Show what a memory said before."""
        return await self._page("memory_history.html", request.query_params.get("id", ""))

    async def confirm(self, caller: Caller, sent: Sent) -> Response:
        """Make a memory the owner's word, unless it says something else by now."""
        uid, revision = sent.one("id"), sent.number("revision")
        try:
            await self._desk.run(ops.confirm, caller, uid, revision)
        except Conflict as error:
            return await self._page("memory.html", uid, problem=error)
        return see("/memory", id=uid, done="confirmed")

    async def undo(self, caller: Caller, sent: Sent) -> Response:
        """Make a memory say again what it said, unless it says something else by now."""
        uid, number, revision = sent.one("id"), sent.number("number"), sent.number("revision")
        try:
            await self._desk.run(ops.undo, caller, uid, number, revision)
        except (Conflict, NotFound) as error:
            return await self._page("memory_history.html", uid, problem=error)
        return see("/memory", id=uid, done="undone")

    async def reread(self, caller: Caller, sent: Sent) -> Response:
        """Read the source of a memory file again."""
        uid = sent.one("id")
        memory = await self._desk.run(memory_lists.get, uid)
        runs = self._desk.hall.ready(0.0).runs
        try:
            await bridge.call(lambda: runs.start(caller, memory.source))
        except Conflict as error:
            return await self._page("memory.html", uid, problem=error)
        return see("/memory", id=uid, done="reading")

    async def _page(
        self, template: str, uid: str, told: str = "", problem: GarageError | None = None
    ) -> Response:
        shown = await self._desk.run(_shown, uid)
        status = 200 if problem is None else STATUS[type(problem)]
        links = Links(shown.memory)
        return page(
            template, status, it=shown, links=links, told=told, problem=problem, most=_SHOWN
        )


def _shown(garage: Garage, uid: str) -> Shown:
    memory = memory_lists.get(garage, uid)
    return Shown(memory, ops.history(garage, uid), sources.get(garage, memory.source).root)


def _query(**pairs: str) -> str:
    return urlencode(pairs, errors="replace")
