"""Queries of memories. A recall is counted at what it returns; nothing else changes."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql import memories as shapes
from api.graphql.arguments import MemoryId, Strings, arg, memory_key, moment
from api.graphql.context import Info
from api.graphql.problems import InvalidInput, NotFound, TooLarge, Unavailable
from api.graphql.types import shown
from api.ops import core_memory, memories, memory_lists, recall
from graphstore import errors
from graphstore.memories import MemoryFilter

MemoriesResponse = Annotated[
    shapes.MemoryConnection | InvalidInput | NotFound | Unavailable,
    strawberry.union("MemoriesResponse", description="A page of memories, or why not."),
]
HistoryResponse = Annotated[
    shapes.RevisionList | NotFound | Unavailable,
    strawberry.union("HistoryResponse", description="What a memory said before, or why not."),
]
RecallResponse = Annotated[
    shapes.RecallResult | InvalidInput | TooLarge | Unavailable,
    strawberry.union("RecallResponse", description="What is remembered, or why there is none."),
]
CoreMemoryResponse = Annotated[
    shapes.CoreMemory | Unavailable,
    strawberry.union("CoreMemoryResponse", description="Core memory, or why not."),
]
CoreHistoryResponse = Annotated[
    shapes.EarlierBlockList | InvalidInput | Unavailable,
    strawberry.union("CoreHistoryResponse", description="What a block said before, or why not."),
]


@strawberry.type
class MemoryQuery:
    """What is remembered."""

    @strawberry.field(description="Memories, last changed first.")
    async def memories(
        self,
        info: Info,
        source: Annotated[str | None, arg("Only of this source; null = of all.")] = None,
        tag: Annotated[str | None, arg("Only with this tag.")] = None,
        kind: Annotated[
            str | None,
            arg("fact, preference, decision, note, insight, thought, qa, lesson or todo."),
        ] = None,
        status: Annotated[
            str | None, arg("active, archived, superseded, resolved or dismissed; null = all.")
        ] = None,
        origin: Annotated[str | None, arg("user, agent, dream or file; null = all.")] = None,
        text: Annotated[str | None, arg("Letters that the title or the text holds.")] = None,
        first: Annotated[int, arg("How many at a time, 1 to 100.")] = 20,
        after: Annotated[str | None, arg("The endCursor of the page before.")] = None,
        max_characters: Annotated[
            int, arg("Of the text of a memory file, in code points; other texts come whole.")
        ] = memory_lists.MAX_CHARACTERS,
    ) -> MemoriesResponse:
        """Return a page of memories."""
        wanted = MemoryFilter(source, tag, kind, status, origin, text)
        request = memory_lists.ListRequest(wanted, first, after, max_characters)
        return shapes.page(await info.context.run(memory_lists.listed, request))

    @strawberry.field(description="One memory, its text whole; null when there is none.")
    async def memory(self, info: Info, id: MemoryId) -> shapes.Memory | None:
        """Return one memory."""
        try:
            return shapes.memory(await info.context.run(memory_lists.get, memory_key(id)))
        except errors.NotFound:
            return None

    @strawberry.field(description="What a memory said before, newest first.")
    async def memory_history(self, info: Info, id: MemoryId) -> HistoryResponse:
        """Return what a memory said before."""
        found = await info.context.run(memories.history, memory_key(id))
        return shapes.RevisionList(items=[shown(shapes.Revision, each) for each in found])

    @strawberry.field(
        description="The memories that answer a question, best first; none rather than noise. "
        "Each is thereby recalled: counted, and longer remembered."
    )
    async def recall(
        self,
        info: Info,
        query: Annotated[str, arg("The question, in any words.")],
        kinds: Annotated[Strings, arg("Kinds of memories; empty = all.")] = (),
        sources: Annotated[Strings, arg("Slugs of memory sources; empty = all.")] = (),
        limit: Annotated[int, arg("How many, 1 to 50.")] = 10,
        as_of: Annotated[
            datetime | None, arg("What was remembered at this moment; UTC without a zone.")
        ] = None,
        include_archived: Annotated[bool, arg("Also what was archived or has expired.")] = False,
    ) -> RecallResponse:
        """Recall memories."""
        request = recall.RecallRequest(
            query=query,
            kinds=tuple(kinds),
            sources=tuple(sources),
            limit=limit,
            as_of=moment(as_of),
            include_archived=include_archived,
        )
        return shapes.recalled(await info.context.run(recall.recall, info.context.caller, request))

    @strawberry.field(description="The blocks that every session of an assistant begins with.")
    async def core_memory(self, info: Info) -> CoreMemoryResponse:
        """Return core memory."""
        return shapes.core(await info.context.run(core_memory.read))

    @strawberry.field(description="What a block of core memory said before, newest first.")
    async def core_memory_history(
        self, info: Info, block: Annotated[str, arg("persona, user or current_projects.")]
    ) -> CoreHistoryResponse:
        """Return what a block said before."""
        found = await info.context.run(core_memory.history, block)
        return shapes.EarlierBlockList(items=[shown(shapes.EarlierBlock, each) for each in found])
