"""Mutations of memories: remembered, changed, confirmed, undone, forgotten, stored.

Who is logged in to a browser or at the command line writes as the owner; whoever has a token of
their own writes as a program of that name, which the owner may confirm.
"""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql import memories as shapes
from api.graphql.arguments import MemoryId, Strings, arg, memory_key, moment
from api.graphql.context import Info
from api.graphql.problems import Conflict, InvalidInput, NotFound, Refused, TooLarge, Unavailable
from api.ops import core_memory, memories, store
from api.ops.sources import DEFAULT_STORE

Title = Annotated[str, arg("At most 300 characters; empty = its first line.")]
Tags = Annotated[Strings, arg("At most 50, of 100 characters each.")]
Subjects = Annotated[Strings, arg("Who or what it is about; at most 50.")]
CorpusClass = Annotated[
    str, arg("communication, document, code or reference; empty = as the store has it.")
]
Revision = Annotated[
    int | None, arg("The revision that you have seen; when it is another by now, a Conflict.")
]
Maybe = Annotated[str | None, arg("null = as it is.")]
MaybeStrings = Annotated[list[str] | None, arg("null = as they are; [] = none.")]

RememberResult = Annotated[
    shapes.MemoryPayload | NotFound | InvalidInput | TooLarge | Conflict | Refused | Unavailable,
    strawberry.union("RememberResult", description="The memory, or why not."),
]
ConfirmMemoryResult = Annotated[
    shapes.MemoryPayload | NotFound | InvalidInput | Conflict | Refused | Unavailable,
    strawberry.union("ConfirmMemoryResult", description="The memory, or why not."),
]
ForgetMemoriesResult = Annotated[
    shapes.ForgetPayload | NotFound | InvalidInput | TooLarge | Refused | Unavailable,
    strawberry.union("ForgetMemoriesResult", description="What was removed, or why nothing was."),
]
StoreResult = Annotated[
    shapes.StorePayload | NotFound | InvalidInput | TooLarge | Conflict | Refused | Unavailable,
    strawberry.union("StoreResult", description="What became of the text, or why not."),
]
EditCoreMemoryResult = Annotated[
    shapes.CoreMemory | InvalidInput | TooLarge | Conflict | Refused | Unavailable,
    strawberry.union("EditCoreMemoryResult", description="Core memory, or why not."),
]


@strawberry.type
class MemoryMutation:
    """What can be remembered, changed and forgotten."""

    @strawberry.mutation(
        description="Remember a text of at most 16,000 characters. The same text in the same "
        "store is one memory: `created` is false, and a new title and tags are applied to it."
    )
    async def remember(
        self,
        info: Info,
        text: Annotated[str, arg("What is to be remembered; one idea.")],
        title: Title = "",
        tags: Tags = (),
        source: Annotated[str, arg("The slug of a store of memories.")] = DEFAULT_STORE,
        corpus_class: CorpusClass = "",
        trust: Annotated[
            str, arg("authored, received or reference; empty = as the store has it.")
        ] = "",
        kind: Annotated[
            str, arg("fact, preference, decision, note, insight, thought, qa, lesson or todo.")
        ] = "note",
        importance: Annotated[float | None, arg("0 to 1; null = 0.5.")] = None,
        subjects: Subjects = (),
        evidence: Annotated[
            Strings, arg("What it rests on: documents by uid or address, chunks by uid.")
        ] = (),
        expires_at: Annotated[
            datetime | None, arg("When it is archived; UTC without a zone.")
        ] = None,
    ) -> RememberResult:
        """Remember a text."""
        info.context.require_write()
        request = memories.RememberRequest(
            text, title, tuple(tags), source, corpus_class, trust, kind, importance,
            tuple(subjects), tuple(evidence), moment(expires_at),
        )  # fmt: skip
        done = await info.context.run(memories.remember, info.context.caller, request)
        return shapes.written(done)

    @strawberry.mutation(
        description="Change a memory. Its id stays; what it said is kept as a revision."
    )
    async def update_memory(
        self,
        info: Info,
        id: MemoryId,
        text: Maybe = None,
        title: Annotated[str | None, arg("null = as it is; empty = its first line.")] = None,
        tags: MaybeStrings = None,
        kind: Maybe = None,
        importance: Annotated[float | None, arg("0 to 1; null = as it is.")] = None,
        subjects: MaybeStrings = None,
        expires_at: Annotated[datetime | None, arg("null = as it is; UTC without a zone.")] = None,
        never_expires: Annotated[bool, arg("Take the date away.")] = False,
        expected_revision: Revision = None,
    ) -> RememberResult:
        """Change a memory."""
        info.context.require_write()
        request = memories.ChangeRequest(
            text=text,
            title=title,
            tags=None if tags is None else tuple(tags),
            kind=kind,
            importance=importance,
            subjects=None if subjects is None else tuple(subjects),
            expires_at=moment(expires_at),
            never_expires=never_expires,
            expected_revision=expected_revision,
        )
        caller = info.context.caller
        return shapes.written(
            await info.context.run(memories.update, caller, memory_key(id), request)
        )

    @strawberry.mutation(
        description="Make a memory the owner's word. Only the owner may: at the command line or "
        "logged in to a browser."
    )
    async def confirm_memory(
        self, info: Info, id: MemoryId, expected_revision: Revision = None
    ) -> ConfirmMemoryResult:
        """Confirm a memory."""
        context = info.context
        context.require_write()
        uid = memory_key(id)
        done = await context.run(memories.confirm, context.caller, uid, expected_revision)
        return shapes.written(done)

    @strawberry.mutation(
        description="Make a memory say again what it said before. That is a change, too: a second "
        "undo takes the first one back."
    )
    async def undo_memory(
        self,
        info: Info,
        id: MemoryId,
        number: Annotated[int | None, arg("The revision; null = the one before.")] = None,
        expected_revision: Revision = None,
    ) -> RememberResult:
        """Undo a change."""
        context = info.context
        context.require_write()
        uid = memory_key(id)
        done = await context.run(memories.undo, context.caller, uid, number, expected_revision)
        return shapes.written(done)

    @strawberry.mutation(
        description="Forget memories with every trace of them, 1 to 100. This cannot be undone. "
        "When one of them cannot be forgotten, none is."
    )
    async def forget_memories(
        self,
        info: Info,
        memory_ids: Annotated[list[strawberry.ID], arg("Ids or uids of memories.", name="ids")],
        dry_run: Annotated[bool, arg("Only say what would be removed.")] = False,
    ) -> ForgetMemoriesResult:
        """Forget memories."""
        context = info.context
        context.require_write()
        uids = tuple(memory_key(each) for each in memory_ids)
        done = await context.run(memories.forget_together, context.caller, uids, dry_run=dry_run)
        return shapes.forgotten(done, dry_run=dry_run)

    @strawberry.mutation(
        description="Keep a whole text as it is, byte for byte, at most 256 KiB, as a document. "
        "The same bytes are one document."
    )
    async def store(
        self,
        info: Info,
        text: Annotated[str, arg("The text.")],
        title: Title = "",
        kind: Annotated[str, arg("note, conversation, clipping, decision or reference.")] = "note",
        corpus_class: Annotated[
            str, arg("communication, document, code or reference; empty = document.")
        ] = "",
        subjects: Subjects = (),
        category: Annotated[str, arg("Where it belongs.")] = "",
        distil: Annotated[
            str, arg("What is made of it: queue, now (within a minute) or none.")
        ] = "queue",
        remember: Annotated[bool, arg("Make a memory that points at it.")] = False,
    ) -> StoreResult:
        """Keep a text."""
        info.context.require_write()
        request = store.StoreRequest(
            text, title, kind, corpus_class, tuple(subjects), category, distil, remember
        )
        return shapes.stored(await info.context.run(store.store, info.context.caller, request))

    @strawberry.mutation(description="Let a block of core memory say this from now on.")
    async def edit_core_memory(
        self,
        info: Info,
        block: Annotated[str, arg("persona, user or current_projects.")],
        text: Annotated[str, arg("All that it is to say; empty clears it.")],
        expected_revision: Revision = None,
    ) -> EditCoreMemoryResult:
        """Write a block of core memory."""
        context = info.context
        context.require_write()
        done = await context.run(core_memory.edit, context.caller, block, text, expected_revision)
        return shapes.core(done)
