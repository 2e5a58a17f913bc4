"""Queries: what can be read. A lookup is null when there is no such thing."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Final

import strawberry

from api.graphql import hits, ids, memories, types
from api.graphql import jobs as job_shapes
from api.graphql import stats as shapes
from api.graphql.arguments import (
    Reference,
    SourceName,
    Strings,
    arg,
    document_key,
    moment,
)
from api.graphql.context import Info
from api.graphql.doctor import DoctorQuery
from api.graphql.facts import FactQuery
from api.graphql.jobs import JobQuery
from api.graphql.memory_queries import MemoryQuery
from api.graphql.presets import PresetQuery
from api.graphql.problems import Conflict, InvalidInput, NotFound, TooLarge, Unavailable
from api.graphql.types import Node
from api.ops import jobs as ops_jobs
from api.ops import memory_lists, reading
from api.ops import search as ops_search
from api.ops import sources as ops_sources
from api.ops import stats as ops_stats
from api.ops.garage import Garage
from graphstore import errors
from graphstore.lanes import Filter

SearchResponse = Annotated[
    hits.SearchResult | InvalidInput | TooLarge | Unavailable,
    strawberry.union("SearchResponse", description="A search's answer, or why there is none."),
]
DocumentsResponse = Annotated[
    types.DocumentConnection | InvalidInput | NotFound | Unavailable,
    strawberry.union("DocumentsResponse", description="A page of documents, or why not."),
]
TextResponse = Annotated[
    types.Passage | InvalidInput | NotFound | Conflict | Unavailable,
    strawberry.union("TextResponse", description="A piece of text, or why there is none."),
]


@strawberry.type(description="Sources by slug.")
class SourceList:
    """Sources by slug."""

    items: list[types.Source] = types.described("The sources.")


@strawberry.type(description="Activities, newest first.")
class ActivityList:
    """Activities, newest first."""

    items: list[types.Activity] = types.described("The activities.")


@strawberry.type(description="Files by source and path.")
class FileList:
    """Files by source and path."""

    items: list[types.FileOutcome] = types.described("The files.")


@strawberry.type(description="Ingest runs, newest first.")
class RunList:
    """Ingest runs, newest first."""

    items: list[types.IngestRun] = types.described("The runs.")


SourcesResponse = Annotated[
    SourceList | Unavailable,
    strawberry.union("SourcesResponse", description="The sources, or why not."),
]
StatsResponse = Annotated[
    shapes.Stats | Unavailable, strawberry.union("StatsResponse", description="Stats, or why not.")
]
LogResponse = Annotated[
    ActivityList | InvalidInput | Unavailable,
    strawberry.union("LogResponse", description="Activities, or why not."),
]
FilesResponse = Annotated[
    FileList | NotFound | InvalidInput | Unavailable,
    strawberry.union("FilesResponse", description="Files, or why not."),
]
RunsResponse = Annotated[
    RunList | NotFound | InvalidInput | Unavailable,
    strawberry.union("RunsResponse", description="Runs, or why not."),
]


@strawberry.type(
    description="What can be read. Nothing here changes the graph but what is counted of recalls."
)
class Query(DoctorQuery, FactQuery, JobQuery, MemoryQuery, PresetQuery):
    """What can be read."""

    @strawberry.field(description="How the service stands. Answers from the first moment.")
    def status(self, info: Info) -> types.ServiceStatus:
        """Return how the service stands."""
        return types.status(info.context.hall.standing, info.context.version)

    @strawberry.field(description="Search everything; any text is a query.")
    async def search(
        self,
        info: Info,
        query: Annotated[str, arg("What to look for, in any words or syntax.")],
        limit: Annotated[int | None, arg("Hits, 1 to 100; null = the setting.")] = None,
        include: Annotated[Strings, arg("chunk, fact, memory, summary; empty = all kinds.")] = (),
        sources: Annotated[Strings, arg("Slugs of sources; empty = all.")] = (),
        classes: Annotated[
            Strings, arg("communication, document, code, reference; empty = all.")
        ] = (),
        trusts: Annotated[Strings, arg("authored, received, reference; empty = all.")] = (),
        mimes: Annotated[Strings, arg("Media types, whole or the first part; empty = all.")] = (),
        authors: Annotated[Strings, arg("Names or e-mail addresses; empty = all.")] = (),
        since: Annotated[
            datetime | None, arg("Changed at this moment or later; UTC without a zone.")
        ] = None,
        until: Annotated[
            datetime | None, arg("Changed before this moment; UTC without a zone.")
        ] = None,
        explain: Annotated[bool, arg("Say of each hit which lanes ranked it where.")] = False,
    ) -> SearchResponse:
        """Search the graph."""
        wanted = Filter(
            sources=tuple(sources),
            classes=tuple(classes),
            trusts=tuple(trusts),
            mimes=tuple(mimes),
            authors=tuple(authors),
            since=moment(since),
            until=moment(until),
        )
        request = ops_search.SearchRequest(query, limit, tuple(include), wanted, explain)
        return hits.result(await info.context.run(ops_search.search, info.context.caller, request))

    @strawberry.field(description="One document; null when there is none of this name.")
    async def document(self, info: Info, reference: Reference) -> types.Document | None:
        """Return one document."""
        try:
            found = await info.context.run(reading.document, document_key(reference))
        except errors.NotFound:
            return None
        return types.document(found)

    @strawberry.field(description="Documents, last changed first.")
    async def documents(
        self,
        info: Info,
        source: SourceName = None,
        first: Annotated[int, arg("How many at a time, 1 to 100.")] = 20,
        after: Annotated[str | None, arg("The endCursor of the page before.")] = None,
    ) -> DocumentsResponse:
        """Return a page of documents."""
        page = await info.context.run(reading.listed, source, first, after)
        edges = [
            types.DocumentEdge(
                cursor=reading.cursor(each), node=types.document(each, is_whole=False)
            )
            for each in page.documents
        ]
        return types.DocumentConnection(
            edges=edges,
            page_info=types.PageInfo(
                has_next_page=page.next_cursor is not None,
                end_cursor=edges[-1].cursor if edges else None,
            ),
            in_source=source,
        )

    @strawberry.field(description="A piece of a document's text.")
    async def text(
        self,
        info: Info,
        reference: Reference,
        start: Annotated[int, arg("Where to begin, in Unicode code points.")] = 0,
        max_characters: Annotated[
            int, arg("How much at most, in code points, 1 to 200,000.")
        ] = reading.DEFAULT_CHARACTERS,
    ) -> TextResponse:
        """Return a piece of a document's text."""
        key = document_key(reference)
        found = await info.context.run(reading.read, key, start, max_characters)
        return types.shown(types.Passage, found, document=types.document(found.document))

    @strawberry.field(description="Every source.")
    async def sources(self, info: Info) -> SourcesResponse:
        """Return every source."""
        found = await info.context.run(ops_sources.listed)
        return SourceList(items=[types.source(each) for each in found])

    @strawberry.field(description="One source; null when there is none of this slug.")
    async def source(
        self, info: Info, slug: Annotated[str, arg("Its slug.")]
    ) -> types.Source | None:
        """Return one source."""
        try:
            return types.source(await info.context.run(ops_sources.get, slug))
        except errors.NotFound:
            return None

    @strawberry.field(description="How much of everything there is, and what is pending.")
    async def stats(self, info: Info) -> StatsResponse:
        """Return how much of everything there is."""
        return shapes.stats(await info.context.run(ops_stats.stats))

    @strawberry.field(description="Who wrote what: the activity log, newest first.")
    async def log(
        self,
        info: Info,
        verb: Annotated[str | None, arg("Only this verb; null = all.")] = None,
        actor: Annotated[str | None, arg("Only of this client; null = of all.")] = None,
        before: Annotated[str | None, arg("The uid of the last entry seen.")] = None,
        limit: Annotated[int, arg("How many, 1 to 500.")] = 50,
    ) -> LogResponse:
        """Return the activity log."""
        found = await info.context.run(
            ops_stats.log, verb=verb, actor=actor, before=before, limit=limit
        )
        return ActivityList(items=[types.activity(each) for each in found])

    @strawberry.field(description="What became of files.")
    async def files(
        self,
        info: Info,
        source: SourceName = None,
        states: Annotated[
            Strings, arg("stored, unchanged, skipped, too_large, failed, removed; empty = all.")
        ] = (),
        limit: Annotated[int, arg("How many, 1 to 1,000.")] = ops_stats.MAX_FILES,
    ) -> FilesResponse:
        """Return what became of files."""
        found = await info.context.run(ops_stats.files, source, tuple(states), limit)
        return FileList(items=[types.file_outcome(each) for each in found])

    @strawberry.field(description="Ingest runs, newest first.")
    async def runs(
        self,
        info: Info,
        source: SourceName = None,
        limit: Annotated[int, arg("How many, 1 to 100.")] = 20,
    ) -> RunsResponse:
        """Return ingest runs."""
        found = await info.context.run(ops_stats.runs, source, limit)
        return RunList(items=[types.ingest_run(each) for each in found])

    @strawberry.field(description="The thing with this id; null when there is none.")
    async def node(
        self, info: Info, id: Annotated[strawberry.ID, arg("The id that a reply held.")]
    ) -> Node | None:
        """Return the thing with this id."""
        kind, key = ids.decode(str(id))
        if kind not in _NODES:
            return None
        try:
            return await info.context.run(_NODES[kind], key)
        except errors.NotFound:
            return None


_NODES: Final[Mapping[str, Callable[[Garage, str], Node]]] = {
    "Document": lambda garage, key: types.document(reading.document(garage, key)),
    "Memory": lambda garage, key: memories.memory(memory_lists.get(garage, key)),
    "Source": lambda garage, key: types.source(ops_sources.get(garage, key)),
    "Job": lambda garage, key: job_shapes.job(ops_jobs.get(garage, key)),
    "IngestRun": lambda garage, key: types.ingest_run(ops_stats.run(garage, key)),
}
