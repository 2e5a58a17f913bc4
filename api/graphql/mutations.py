"""Mutations: what can be changed. A payload is made of the state read back after the write."""

from typing import Annotated, Final

import strawberry

from api.graphql import ids, types
from api.graphql.arguments import Strings, arg
from api.graphql.context import Info
from api.graphql.doctor import DoctorMutation
from api.graphql.jobs import JobMutation
from api.graphql.memory_mutations import MemoryMutation
from api.graphql.problems import Conflict, InvalidInput, NotFound, Refused, Unavailable
from api.graphql.shifts import ShiftMutation
from api.ops import bridge, removal
from api.ops import sources as ops

_REMOVAL_S: Final = 20.0
"""A removal that takes longer says how far it is, and goes on when it is asked for again."""

Slug = Annotated[str, arg("The source's slug.")]


@strawberry.type(description="A source that was added or changed.")
class AddSourcePayload:
    """A source that was added or changed."""

    source: types.Source = types.described("The source as it is stored.")
    created: bool = types.described("Whether it is new.")
    warnings: list[str] = types.described("What may not be meant; empty mostly.")


@strawberry.type(description="What the removal of a source did, as the graph tells afterwards.")
class RemoveSourcePayload:
    """What the removal of a source did."""

    slug: str = types.described("The source.")
    finished: bool = types.described("Whether it is gone; if not, ask again and it goes on.")
    remaining: int = types.described("Documents that still wait for it.")
    documents: int = types.described("Documents removed, earlier attempts counted in.")
    chunks: int = types.described("Chunks removed.")
    kept_documents: int = types.described("Documents that moved to the source `kept`.")
    kept_chunks: int = types.described("Chunks that moved.")
    halted: bool = types.described("Whether an ingest was under way and was stopped.")
    declared: bool = types.described("Whether garage.json still declares it: then it comes back.")
    kept: types.Source | None = types.described("The source of kept documents as it is now.")


@strawberry.type(description="A run that was begun, or the one that was under way.")
class IngestPayload:
    """A run that was begun."""

    run: types.IngestRun = types.described("The run; `ingestProgress` follows it.")


@strawberry.type(description="A run that was asked to stop.")
class CancelIngestPayload:
    """A run that was asked to stop."""

    run: types.IngestRun = types.described("The run; it ends after the file that it is at.")


AddSourceResult = Annotated[
    AddSourcePayload | InvalidInput | Conflict | Refused | Unavailable,
    strawberry.union("AddSourceResult", description="The source, or why not."),
]
RemoveSourceResult = Annotated[
    RemoveSourcePayload | NotFound | InvalidInput | Conflict | Refused | Unavailable,
    strawberry.union("RemoveSourceResult", description="What was removed, or why not."),
]
IngestResult = Annotated[
    IngestPayload | NotFound | Conflict | Refused | Unavailable,
    strawberry.union("IngestResult", description="The run, or why there is none."),
]
CancelIngestResult = Annotated[
    CancelIngestPayload | NotFound | Refused | Unavailable,
    strawberry.union("CancelIngestResult", description="The run, or why not."),
]


@strawberry.type(description="What can be changed. Every write is in the activity log.")
class Mutation(DoctorMutation, JobMutation, MemoryMutation, ShiftMutation):
    """What can be changed."""

    @strawberry.mutation(description="Add a source, or change the one of this slug.")
    async def add_source(
        self,
        info: Info,
        slug: Annotated[str, arg("a-z, digits and hyphens, at most 40, a letter first.")],
        place: Annotated[
            str, arg("The folder or file, absolute or from ~; memory:// is a store.", name="root")
        ],
        kind: Annotated[
            str, arg("filesystem, git, maildir, mbox, inbox or memory; empty = found out.")
        ] = "",
        default_class: Annotated[
            str,
            arg("communication, document, code or reference; empty = by kind."),
        ] = "",
        default_trust: Annotated[
            str, arg("authored, received or reference; empty = by kind.")
        ] = "",
        ignore: Annotated[Strings, arg("Further gitignore patterns.")] = (),
        patterns: Annotated[
            Strings,
            arg("Kind memory: further files that are memories; `!` in front takes away."),
        ] = (),
        tags: Annotated[Strings, arg("Kind memory: tags of every memory file.")] = (),
    ) -> AddSourceResult:
        """Add or change a source."""
        # A parameter named `root` would be handed the root value.
        info.context.require_write()
        request = ops.SourceRequest(
            slug, place, kind, default_class, default_trust,
            ignore=tuple(ignore), patterns=tuple(patterns), tags=tuple(tags),
        )  # fmt: skip
        added = await info.context.run(ops.add, info.context.caller, request)
        source = types.source(added.source)
        return AddSourcePayload(source=source, created=added.created, warnings=list(added.warnings))

    @strawberry.mutation(
        description="Remove a source with all that came from it, or keep its documents in the "
        "source `kept`. A running ingest is stopped. Its files stay where they are."
    )
    async def remove_source(
        self,
        info: Info,
        slug: Slug,
        reason: Annotated[str, arg("Why, for the activity log.")] = "",
        keep_documents: Annotated[
            bool, arg("Move its documents to the source `kept`: searched, never read again.")
        ] = False,
        discard_kept: Annotated[
            bool, arg("Said on purpose to remove the source `kept` with its documents.")
        ] = False,
    ) -> RemoveSourceResult:
        """Remove a source."""
        context = info.context
        context.require_write()
        how = ops.RemovalRequest(keep_documents, discard_kept, _REMOVAL_S)
        done = await bridge.call(
            lambda: removal.remove(context.hall.ready(), context.caller, slug, reason, how)
        )
        return types.shown(
            RemoveSourcePayload,
            done.removal,
            finished=done.removal.is_finished,
            halted=done.halted,
            kept=types.source(done.kept) if done.kept else None,
        )

    @strawberry.mutation(description="Begin a run over a source.")
    async def ingest(
        self,
        info: Info,
        slug: Slug,
        confirm: Annotated[bool, arg("Remove files that are gone, however many they are.")] = False,
        accept_missing_root: Annotated[
            bool, arg("Remove all its files when its root itself is gone.")
        ] = False,
    ) -> IngestResult:
        """Begin a run."""
        context = info.context
        context.require_write()
        run = await bridge.call(
            lambda: context.hall.ready().runs.start(
                context.caller, slug, confirm=confirm, accept_missing_root=accept_missing_root
            )
        )
        return IngestPayload(run=types.ingest_run(run))

    @strawberry.mutation(description="Ask a run to stop. What it stored is kept.")
    async def cancel_ingest(
        self, info: Info, run: Annotated[strawberry.ID, arg("The run's id or uid.")]
    ) -> CancelIngestResult:
        """Ask a run to stop."""
        context = info.context
        context.require_write()
        uid = ids.key_of("IngestRun", str(run))
        found = await bridge.call(lambda: context.hall.ready().runs.cancel(uid))
        return CancelIngestPayload(run=types.ingest_run(found))
