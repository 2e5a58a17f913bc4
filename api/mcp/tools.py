"""Tools: what an assistant can call. Each is an operation, its reply bounded and quoted.

Inputs are flat: scalars, fixed words and lists of them, with empty defaults, because nullable and
nested inputs fail in clients. All are asynchronous, so that a client's time-out ends them.
"""

from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from api.mcp import replies, wording
from api.mcp.calling import CorpusClass, Names, Trust, ask, caller, moment, replied
from api.mcp.cards import READ_MOST
from api.mcp.results import DocumentReply, SearchReply, SourcesReply, StatsReply, TextReply
from api.ops import reading, search, sources, stats
from api.ops.hall import Hall
from graphstore.lanes import Filter

OPENING: Final = 1_200
READ_DEFAULT: Final = 6_000

HitKind = Literal["chunk", "fact", "memory", "summary"]
Reference = Annotated[
    str, Field(min_length=1, max_length=4096, description="uid, uri (source:path) or path.")
]


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
            since=moment("since", since),
            until=moment("until", until),
        )
        request = search.SearchRequest(query, limit, include, wanted, explain)
        found = await ask(self._hall, lambda garage: search.search(garage, caller(ctx), request))
        return replied(replies.found(found), wording.search)

    async def rag_get_document(
        self, reference: Reference
    ) -> Annotated[CallToolResult, DocumentReply]:
        """Say what a document is."""
        passage = await ask(self._hall, lambda garage: reading.read(garage, reference, 0, OPENING))
        return replied(replies.document(passage.document, passage.text), wording.document)

    async def rag_read_document(
        self,
        reference: Reference,
        start: Annotated[int, Field(ge=0, description="Where to begin.")] = 0,
        max_characters: Annotated[
            int, Field(ge=1, le=READ_MOST, description="How much at most.")
        ] = READ_DEFAULT,
    ) -> Annotated[CallToolResult, TextReply]:
        """Read a piece of a document."""
        passage = await ask(
            self._hall, lambda garage: reading.read(garage, reference, start, max_characters)
        )
        return replied(replies.text(passage), wording.text)

    async def rag_list_sources(self) -> Annotated[CallToolResult, SourcesReply]:
        """List the sources."""
        return replied(replies.sources(await ask(self._hall, sources.listed)), wording.sources)

    async def rag_stats(self) -> Annotated[CallToolResult, StatsReply]:
        """Say how much is stored."""
        return replied(replies.counted(await ask(self._hall, stats.stats)), wording.stats)
