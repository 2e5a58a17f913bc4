"""Memory tools: what an assistant can recall, and where it may, remember, change and forget.

What is remembered is handed back as quoted data, with its source, its trust and who said it. What
an assistant writes is recorded under the client's name and counts as its word, not the owner's.
"""

from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from api.mcp import memory_replies as replies
from api.mcp import memory_wording as wording
from api.mcp.calling import CorpusClass, Names, Trust, ask, caller, moment, replied, run
from api.mcp.memory_results import (
    CoreReply,
    ForgottenReply,
    MemoriesReply,
    RecallReply,
    StoredReply,
    WrittenReply,
)
from api.ops import core_memory, memories, memory_lists, recall, store
from api.ops.hall import Hall
from api.ops.sources import DEFAULT_STORE
from graphstore.memories import Kind, MemoryFilter, Status

_STORE_S: Final = 90.0
"""Seconds that `distil: now` may take, with what stands around it."""
_AS_IT_IS: Final = ("\0",)
"""Stands for tags that were not said; no tag can be this."""
_ANY: Final = -1
"""Stands for a revision that was not said."""
NEVER: Final = "never"

Block = Literal["", "persona", "user", "current_projects"]
TextKind = Literal["note", "conversation", "clipping", "decision", "reference"]
Distil = Literal["queue", "now", "none"]
MemoryId = Annotated[
    str, Field(min_length=1, max_length=200, description="memory_id of a hit or a list.")
]
Labels = Annotated[Names, Field(description="At most 50.")]
MaybeLabels = Annotated[
    Names,
    Field(default_factory=lambda: _AS_IT_IS, description="Left out = as they are; [] = none."),
]
Revision = Annotated[
    int, Field(ge=-1, description="Of the row that you have seen; else a CONFLICT. -1 = any.")
]
Importance = Annotated[float, Field(ge=0, le=1, description="0 to 1.")]
Expiry = Annotated[str, Field(description="ISO 8601, UTC without a zone; empty = never.")]


class MemoryTools:
    """The memory tools of one server."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def rag_recall(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(min_length=1, max_length=1000, description="The question.")],
        kinds: Annotated[tuple[Kind, ...], Field(description="Empty = all.")] = (),
        sources: Annotated[Names, Field(description="Slugs; empty = all.")] = (),
        limit: Annotated[int, Field(ge=1, le=recall.MAX_RECALLED)] = 10,
        as_of: Annotated[str, Field(description="What was remembered then; ISO 8601.")] = "",
        include_archived: Annotated[bool, Field(description="Also archived and expired.")] = False,
    ) -> Annotated[CallToolResult, RecallReply]:
        """Recall memories."""
        request = recall.RecallRequest(
            query, kinds, sources, limit, moment("as_of", as_of), include_archived
        )
        found = await ask(self._hall, lambda garage: recall.recall(garage, caller(ctx), request))
        return replied(replies.recalled(found), wording.recalled)

    async def rag_core_memory(self) -> Annotated[CallToolResult, CoreReply]:
        """Read core memory."""
        return replied(replies.core(await ask(self._hall, core_memory.read)), wording.core)

    async def core_text(self) -> str:
        """Return core memory as the resource that shows it."""
        return wording.core(replies.core(await ask(self._hall, core_memory.read)))


class MemoryWriteTools:
    """The memory tools that a server has beside them, or instead, where it may write."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def rag_remember(
        self,
        ctx: Context[Any, Any],
        text: Annotated[str, Field(description="One idea, at most 16,000 characters.")],
        title: Annotated[str, Field(description="Empty = its first line.")] = "",
        tags: Labels = (),
        source: Annotated[str, Field(description="Slug of a store.")] = DEFAULT_STORE,
        corpus_class: Annotated[
            Literal["", CorpusClass], Field(description="Empty = the store's.")
        ] = "",
        trust: Annotated[Literal["", Trust], Field(description="Empty = the store's.")] = "",
        kind: Kind = "note",
        importance: Importance = 0.5,
        subjects: Annotated[Names, Field(description="Who or what it is about.")] = (),
        evidence: Annotated[
            tuple[str, ...], Field(max_length=100, description="Documents or chunks it rests on.")
        ] = (),
        expires_at: Expiry = "",
    ) -> Annotated[CallToolResult, WrittenReply]:
        """Remember a text."""
        request = memories.RememberRequest(
            text, title, tags, source, corpus_class, trust, kind, importance, subjects, evidence,
            moment("expires_at", expires_at),
        )  # fmt: skip
        done = await run(self._hall, lambda g: memories.remember(g, caller(ctx), request))
        return replied(replies.written(done), wording.written)

    async def rag_update_memory(
        self,
        ctx: Context[Any, Any],
        memory_id: MemoryId,
        tags: MaybeLabels,
        subjects: MaybeLabels,
        text: Annotated[str, Field(description="Empty = as it is.")] = "",
        title: Annotated[str, Field(description="Empty = as it is.")] = "",
        kind: Annotated[Literal["", Kind], Field(description="Empty = as it is.")] = "",
        importance: Annotated[float, Field(ge=-1, le=1, description="-1 = as it is.")] = _ANY,
        expires_at: Annotated[
            str, Field(description="ISO 8601; empty = as it is; 'never' takes it away.")
        ] = "",
        expected_revision: Revision = _ANY,
    ) -> Annotated[CallToolResult, WrittenReply]:
        """Change a memory."""
        is_never = expires_at == NEVER
        request = memories.ChangeRequest(
            text=text or None,
            title=title or None,
            tags=None if tags == _AS_IT_IS else tags,
            kind=kind or None,
            importance=None if importance == _ANY else importance,
            subjects=None if subjects == _AS_IT_IS else subjects,
            expires_at=None if is_never else moment("expires_at", expires_at),
            never_expires=is_never,
            expected_revision=None if expected_revision == _ANY else expected_revision,
        )
        done = await run(self._hall, lambda g: memories.update(g, caller(ctx), memory_id, request))
        return replied(replies.written(done), wording.written)

    async def rag_forget(
        self,
        ctx: Context[Any, Any],
        memory_id: MemoryId,
        dry_run: Annotated[bool, Field(description="Only say what would go.")] = False,
    ) -> Annotated[CallToolResult, ForgottenReply]:
        """Forget a memory."""
        done = await run(
            self._hall,
            lambda garage: memories.forget(garage, caller(ctx), memory_id, dry_run=dry_run),
        )
        return replied(replies.forgotten(done), wording.forgotten)

    async def rag_list_memories(
        self,
        source: Annotated[str, Field(description="Slug; empty = all.")] = "",
        tag: str = "",
        query: Annotated[str, Field(description="Letters in title or text.")] = "",
        kind: Annotated[Literal["", Kind], Field(description="Empty = all.")] = "",
        status: Annotated[Literal["", Status], Field(description="Empty = all.")] = "",
        limit: Annotated[int, Field(ge=1, le=memory_lists.MAX_PAGE)] = 20,
        cursor: Annotated[str, Field(description="next_cursor of the page before.")] = "",
        max_chars: Annotated[
            int, Field(ge=1, le=10_000, description="Of the text of a memory file.")
        ] = memory_lists.MAX_CHARACTERS,
    ) -> Annotated[CallToolResult, MemoriesReply]:
        """List memories."""
        wanted = MemoryFilter(
            source=source or None,
            tag=tag or None,
            kind=kind or None,
            status=status or None,
            text=query or None,
        )
        request = memory_lists.ListRequest(wanted, limit, cursor or None, max_chars)
        found = await ask(self._hall, lambda garage: memory_lists.listed(garage, request))
        return replied(replies.page(found), wording.page)

    async def rag_store(
        self,
        ctx: Context[Any, Any],
        text: Annotated[str, Field(description="At most 256 KiB; kept byte for byte.")],
        title: Annotated[str, Field(description="Empty = its first line.")] = "",
        kind: TextKind = "note",
        corpus_class: Annotated[
            Literal["", CorpusClass], Field(description="Empty = document.")
        ] = "",
        subjects: Annotated[Names, Field(description="Who or what it is about.")] = (),
        category: str = "",
        distil: Annotated[Distil, Field(description="What is made of it, and when.")] = "queue",
        remember: Annotated[bool, Field(description="Also make a memory of it.")] = False,
    ) -> Annotated[CallToolResult, StoredReply]:
        """Store a text."""
        request = store.StoreRequest(
            text, title, kind, corpus_class, subjects, category, distil, remember
        )
        done = await run(
            self._hall, lambda garage: store.store(garage, caller(ctx), request), _STORE_S
        )
        return replied(replies.stored(done), wording.stored)

    async def rag_core_memory(
        self,
        ctx: Context[Any, Any],
        block: Annotated[Block, Field(description="The block to write; empty = read.")] = "",
        text: Annotated[str, Field(description="All it is to say; empty = read.")] = "",
        clear: Annotated[bool, Field(description="Let the block say nothing.")] = False,
        expected_revision: Revision = _ANY,
    ) -> Annotated[CallToolResult, CoreReply]:
        """Read core memory, or write a block of it."""
        if not block or not (text or clear):
            return replied(replies.core(await ask(self._hall, core_memory.read)), wording.core)
        revision = None if expected_revision == _ANY else expected_revision
        said = "" if clear else text
        done = await run(
            self._hall, lambda g: core_memory.edit(g, caller(ctx), block, said, revision)
        )
        return replied(replies.core(done), wording.core)
