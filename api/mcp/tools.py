"""Tools: what an assistant can call. Each is an operation, its reply bounded and quoted.

Inputs are flat: scalars, fixed words and lists of them, with empty defaults, because nullable and
nested inputs fail in clients. All are asynchronous, so that a client's time-out ends them.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from api.mcp import replies, wording
from api.mcp.results import DocumentReply, SearchReply, SourcesReply, StatsReply, TextReply
from api.ops import bridge, reading, search, sources, stats
from api.ops.garage import Caller, Garage
from api.ops.hall import Hall
from graphstore.errors import GarageError, InvalidInput
from graphstore.lanes import Filter

T = TypeVar("T")

DEADLINE_S: Final = 20.0
OPENING: Final = 1_200
READ_DEFAULT: Final = 6_000
READ_MOST: Final = 50_000
_LIST: Final = 50

HitKind = Literal["chunk", "fact", "memory", "summary"]
CorpusClass = Literal["communication", "document", "code", "reference"]
Trust = Literal["authored", "received", "reference"]
Names = Annotated[tuple[str, ...], Field(max_length=_LIST)]
Reference = Annotated[
    str, Field(min_length=1, max_length=4096, description="uid, uri (source:path) or path.")
]


@dataclass(frozen=True, slots=True)
class ToolCard:
    """How a tool is offered; `name` is the method that does it."""

    name: str
    title: str
    description: str
    meta: dict[str, Any] | None = None

    @property
    def annotations(self) -> ToolAnnotations:
        """Say that the tool only reads, from this machine."""
        return ToolAnnotations(
            title=self.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        )


TOOLS: Final = (
    ToolCard(
        "rag_search",
        "Search the owner's documents",
        "Find passages in the owner's documents by meaning and by words; any text is a query. "
        "Returns one ranked list, each hit with its document, section, source, class, trust, "
        "authors and date. low_confidence = probably nothing answers. Hits are stored data.",
    ),
    ToolCard(
        "rag_get_document",
        "Describe a document",
        "Say what a document is: title, source, class, trust, authors, dates, length, its thread "
        "and attachments, and how it begins. Name it by uid, uri or path, as a hit does.",
    ),
    ToolCard(
        "rag_read_document",
        "Read a document's text",
        "Read a document's text from `start`, at most `max_characters`; both count Unicode code "
        "points. truncated = text follows: read on with start = end. The text is stored data.",
        # Clients cut long results; this one may be as long as it was asked for.
        {"anthropic/maxResultSizeChars": 2 * READ_MOST + 20_000},
    ),
    ToolCard(
        "rag_list_sources",
        "List sources",
        "List the places that documents come from, with slug, kind, class, trust and how much "
        "each holds. Slugs are what rag_search takes as `sources`.",
    ),
    ToolCard(
        "rag_stats",
        "Say how much is stored",
        "Say how many documents, chunks and authors there are, and what each embedding model "
        "still has to do; pending texts are found by words only.",
    ),
)


class Tools:
    """The tools of one server."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def rag_search(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(min_length=1, max_length=1000, description="What to find.")],
        limit: Annotated[int, Field(ge=1, le=50, description="How many hits.")] = 10,
        include: Annotated[tuple[HitKind, ...], Field(description="Kinds; empty = all.")] = (),
        sources: Annotated[Names, Field(description="Slugs; empty = all.")] = (),
        classes: Annotated[tuple[CorpusClass, ...], Field(description="Empty = all.")] = (),
        trusts: Annotated[tuple[Trust, ...], Field(description="Empty = all.")] = (),
        mimes: Annotated[Names, Field(description="text/html, or text; empty = all.")] = (),
        authors: Annotated[Names, Field(description="Names or e-mail addresses.")] = (),
        since: Annotated[
            str, Field(description="Changed at or after; ISO 8601, UTC without a zone.")
        ] = "",
        until: Annotated[
            str, Field(description="Changed before; ISO 8601, UTC without a zone.")
        ] = "",
        explain: Annotated[bool, Field(description="Add each lane's rank.")] = False,
    ) -> Annotated[CallToolResult, SearchReply]:
        """Search the graph."""
        wanted = Filter(
            sources=sources,
            classes=classes,
            trusts=trusts,
            mimes=mimes,
            authors=authors,
            since=_moment("since", since),
            until=_moment("until", until),
        )
        request = search.SearchRequest(query, limit, include, wanted, explain)
        found = await self._run(lambda garage: search.search(garage, _caller(ctx), request))
        return _replied(replies.found(found), wording.search)

    async def rag_get_document(
        self, reference: Reference
    ) -> Annotated[CallToolResult, DocumentReply]:
        """Say what a document is."""
        passage = await self._run(lambda garage: reading.read(garage, reference, 0, OPENING))
        return _replied(replies.document(passage.document, passage.text), wording.document)

    async def rag_read_document(
        self,
        reference: Reference,
        start: Annotated[int, Field(ge=0, description="Where to begin.")] = 0,
        max_characters: Annotated[
            int, Field(ge=1, le=READ_MOST, description="How much at most.")
        ] = READ_DEFAULT,
    ) -> Annotated[CallToolResult, TextReply]:
        """Read a piece of a document."""
        passage = await self._run(
            lambda garage: reading.read(garage, reference, start, max_characters)
        )
        return _replied(replies.text(passage), wording.text)

    async def rag_list_sources(self) -> Annotated[CallToolResult, SourcesReply]:
        """List the sources."""
        return _replied(replies.sources(await self._run(sources.listed)), wording.sources)

    async def rag_stats(self) -> Annotated[CallToolResult, StatsReply]:
        """Say how much is stored."""
        return _replied(replies.counted(await self._run(stats.stats)), wording.stats)

    async def _run(self, operation: Callable[[Garage], T]) -> T:
        """Run an operation once the service is ready for it; its errors become the tool's."""
        try:
            return await bridge.call(
                lambda: operation(self._hall.ready().garage), timeout_s=DEADLINE_S
            )
        except GarageError as error:
            raise _failed(error) from error


def _caller(ctx: Context[Any, Any]) -> Caller:
    """Return who asks: the door has put it into the request; in memory there is none."""
    request = ctx.request_context.request
    caller = request.scope.get("garage.caller") if request is not None else None
    return caller if isinstance(caller, Caller) else Caller("in-memory", "mcp")


def _moment(name: str, text: str) -> datetime | None:
    """Return a moment; a day is its beginning, and without a zone it is UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        fault = InvalidInput(
            f"{name} is no moment.", hint="Write 2026-03-01 or 2026-03-01T09:30:00+01:00."
        )
        raise _failed(fault) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _failed(error: GarageError) -> ToolError:
    following = f" Next: {error.hint}" if error.hint else ""
    return ToolError(f"{error.code}: {error.message}{following}")


def _replied(reply: Any, word: Callable[[Any], str]) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=word(reply))],
        structured_content=dataclasses.asdict(reply),
    )
