"""Lists of memories: newest first, in pages, and one memory alone."""

from dataclasses import dataclass, field, replace
from typing import Final

from api.ops import cursors
from api.ops import memory_checks as checks
from api.ops.choices import one_of
from api.ops.garage import Garage
from graphstore import memories, sources
from graphstore.errors import InvalidInput
from graphstore.memories import Memory, MemoryFilter

MAX_PAGE: Final = 100
MAX_CHARACTERS: Final = 2_000
"""Characters of the text of a memory file in a list; what was written is shown whole."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which memories, and how many of them."""

    wanted: MemoryFilter = field(default_factory=MemoryFilter)
    first: int = 20
    after: str | None = None
    """The `next_cursor` of the page before."""
    max_characters: int = MAX_CHARACTERS
    """Of a memory file; more is cut and said (`is_truncated`)."""


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories, last changed first."""

    memories: tuple[Memory, ...]
    next_cursor: str | None
    """Where the next page begins; None = this is the last."""
    total: int
    """Memories that the filter lets through, on all pages."""
    sources: int
    """In how many sources they are."""


def get(garage: Garage, memory_id: str) -> Memory:
    """Return one memory, its text whole.

    Raises:
        NotFound: there is none of this id.
    """
    return memories.get(garage.graph, memory_id, garage.clock.now())


def listed(garage: Garage, request: ListRequest) -> MemoryPage:
    """Return a page of memories.

    Raises:
        InvalidInput: `first`, `after` or a filter is outside its values.
        NotFound: there is no such source.
    """
    _check(garage, request)
    now = garage.clock.now()
    after = cursors.position(request.after, "cursor") if request.after else None
    found = memories.listed(garage.graph, request.wanted, now, after, request.first + 1)
    page = tuple(_cut(each, request.max_characters) for each in found[: request.first])
    total, places = memories.count(garage.graph, request.wanted, now)
    more = len(found) > request.first
    return MemoryPage(page, cursor(page[-1]) if more else None, total, places)


def cursor(item: Memory) -> str:
    """Return the opaque place of a memory in lists."""
    return cursors.cursor(item.updated_at, item.uid)


def _check(garage: Garage, request: ListRequest) -> None:
    wanted = request.wanted
    if not 1 <= request.first <= MAX_PAGE:
        message = f"first is {request.first}."
        raise InvalidInput(message, hint=f"Ask for 1 to {MAX_PAGE} at a time.")
    if request.max_characters < 1:
        raise InvalidInput(
            f"max_characters is {request.max_characters}.", hint="Ask for 1 or more."
        )
    if wanted.kind is not None:
        one_of("kind", wanted.kind, checks.KINDS)
    if wanted.status is not None:
        one_of("status", wanted.status, checks.STATUSES)
    if wanted.origin is not None:
        one_of("origin", wanted.origin, checks.ORIGINS)
    if wanted.source is not None:
        sources.get(garage.graph, wanted.source)


def _cut(memory: Memory, most: int) -> Memory:
    if memory.file is None or len(memory.text) <= most:
        return memory
    return replace(memory, text=memory.text[:most], is_truncated=True)
