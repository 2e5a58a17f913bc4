"""Memories: the list with its filters, and forgetting one or several with one confirmation."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from api.ops import memories as ops
from api.ops import memory_checks, memory_lists, sources
from api.ops.garage import Caller, Garage
from api.ops.memory_lists import ListRequest, MemoryPage
from api.serve.pages.desk import STATUS, Desk, caller_of
from api.serve.pages.posted import Sent, see
from api.serve.pages.rendering import page
from graphstore.errors import InvalidInput, NotFound
from graphstore.memories import Memory, MemoryFilter
from graphstore.memory_removal import Traces

FILTERS: Final = {
    "q": "Letters",
    "source": "Source",
    "tag": "Tag",
    "kind": "Kind",
    "status": "Status",
    "origin": "Said by",
}
"""The filters of the list, and what they are called."""
_AT_FIRST: Final = 20
_SHOWN: Final = 600
"""Characters of the text of a memory file in the list."""
_CHOICES: Final = {
    "kind": memory_checks.KINDS,
    "status": memory_checks.STATUSES,
    "origin": memory_checks.ORIGINS,
}


@dataclass(frozen=True, slots=True)
class ListForm:
    """Which memories were asked for, as it was typed."""

    values: dict[str, str]
    first: int
    after: str

    @property
    def filters(self) -> list[tuple[str, str]]:
        """Every filter that is set: field, value."""
        return [(name, value) for name, value in self.values.items() if value]

    def without(self, field: str) -> str:
        """Return the list with one filter less."""
        return _address([pair for pair in self.filters if pair[0] != field])

    def more(self, found: MemoryPage) -> str:
        """Return the list with more below; past the most that a page has, the next page."""
        if self.first < memory_lists.MAX_PAGE:
            first = min(self.first + _AT_FIRST, memory_lists.MAX_PAGE)
            after = [("after", self.after)] if self.after else []
            return f"{_address([*self.filters, ('first', str(first)), *after])}#m{self.first + 1}"
        after = found.next_cursor or ""
        return _address([*self.filters, ("first", str(self.first)), ("after", after)])

    @property
    def newest(self) -> str:
        """Return the beginning of the list."""
        return _address(self.filters)

    def request(self) -> ListRequest:
        """Return what to ask the operation."""
        wanted = MemoryFilter(
            source=self.values["source"] or None,
            tag=self.values["tag"] or None,
            kind=self.values["kind"] or None,
            status=self.values["status"] or None,
            origin=self.values["origin"] or None,
            text=self.values["q"] or None,
        )
        return ListRequest(wanted, self.first, self.after or None, _SHOWN)


@dataclass(frozen=True, slots=True)
class Listed:
    """What the page of the list shows."""

    sources: tuple[str, ...]
    """Slugs of the sources that hold memories or may."""
    found: MemoryPage | None = None
    problem: InvalidInput | NotFound | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before memories are forgotten."""

    memories: tuple[Memory, ...]
    removed: Traces
    """What would go with all of them; what two share is counted twice."""


class MemoriesPage:
    """The list of what is remembered."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, request: Request) -> Response:
        """Show the list, narrowed as the address says."""
        asked = _read(request.query_params)
        listed = await self._desk.run(_listed, asked)
        status = 200 if listed.problem is None else STATUS[type(listed.problem)]
        forgot = request.query_params.get("forgot", "")
        choices = {"source": listed.sources, **_CHOICES}
        return page(
            "memories.html",
            status,
            form=asked,
            names=FILTERS,
            choices=choices,
            it=listed,
            forgot=int(forgot) if forgot.isascii() and forgot.isdigit() and len(forgot) < 4 else 0,
        )

    async def ask(self, request: Request) -> Response:
        """Ask once whether the memories that the address names are to be forgotten."""
        uids = request.query_params.getlist("id")
        if not uids:
            hint = "Tick those in the list that are to go, then press the button below it."
            raise InvalidInput("No memory was chosen.", hint=hint)
        question = await self._desk.run(_question, caller_of(request), tuple(uids))
        return page("forget.html", it=question)

    async def forget(self, caller: Caller, sent: Sent) -> Response:
        """Forget them."""
        gone = await self._desk.run(ops.forget_together, caller, sent.many("id"))
        return see("/memories", forgot=str(len(gone)))


def _read(parameters: QueryParams) -> ListForm:
    values = {name: parameters.get(name, "").strip() for name in FILTERS}
    first = parameters.get("first", "")
    # Nobody types it: what is no number of ours is the usual one.
    is_number = first.isascii() and first.isdigit() and len(first) < 4
    return ListForm(values, int(first) if is_number else _AT_FIRST, parameters.get("after", ""))


def _listed(garage: Garage, asked: ListForm) -> Listed:
    slugs = tuple(each.slug for each in sources.listed(garage) if each.kind in {"memory", "kept"})
    try:
        return Listed(slugs, memory_lists.listed(garage, asked.request()))
    except (InvalidInput, NotFound) as error:
        return Listed(slugs, problem=error)


def _question(garage: Garage, caller: Caller, uids: tuple[str, ...]) -> Question:
    plan = ops.forget_together(garage, caller, uids, dry_run=True)
    there = tuple(memory_lists.get(garage, each.memory_id) for each in plan)
    return Question(there, Traces.together([each.removed for each in plan]))


def _address(pairs: list[tuple[str, str]]) -> str:
    return f"/memories?{urlencode(pairs, errors='replace')}" if pairs else "/memories"
