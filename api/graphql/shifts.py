"""Shifts: the queue is worked, followed while it is, and stopped."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Final

import strawberry

from api.graphql import problems
from api.graphql.arguments import Strings, arg
from api.graphql.context import Info
from api.graphql.problems import Conflict, InvalidInput, NotFound, Refused, Unavailable
from api.graphql.types import Count, counted, described, shown
from api.ops import bridge
from api.ops import shifts as ops
from api.ops.work import Progress as OpsProgress
from graphstore.errors import GarageError

_HEARTBEAT_S: Final = 1.0
ShiftId = Annotated[strawberry.ID, arg("The shift's uid.", name="shift")]


@strawberry.type(description="A time of work on the queue.")
class Shift:
    """A time of work on the queue."""

    uid: str = described("Its uid; `workProgress` follows it.")
    actor: str = described("Who asked for it.")
    state: str = described("running, done, stopped, out_of_time or failed.")
    started_at: datetime = described("When it began.")
    finished_at: datetime | None = described("When it ended.")
    message: str = described("Why it failed.")
    counts: list[Count] = described("Jobs by what became of them.")


@strawberry.type(description="How far a shift is.")
class WorkProgress:
    """How far a shift is."""

    done: int = described("Jobs that were worked on.")
    total: int = described("Jobs that were ready at the beginning, or worked on since.")
    kind: str = described("The kind of the job at hand.")
    document: str = described("The address of the document at hand.")
    counts: list[Count] = described("Jobs by what became of them.")


@strawberry.type(description="Work that was begun.")
class WorkPayload:
    """Work that was begun."""

    shift: Shift = described("The shift; `workProgress` follows it.")


@strawberry.type(description="Work that was asked to stop.")
class CancelWorkPayload:
    """Work that was asked to stop."""

    shift: Shift = described("The shift; the jobs at hand are given back.")


WorkResult = Annotated[
    WorkPayload | InvalidInput | Conflict | Refused | Unavailable,
    strawberry.union("WorkResult", description="The work, or why there is none."),
]
CancelWorkResult = Annotated[
    CancelWorkPayload | NotFound | Refused | Unavailable,
    strawberry.union("CancelWorkResult", description="The work, or why not."),
]
WorkEvent = Annotated[
    WorkProgress | Shift | problems.NotFound | problems.Unavailable,
    strawberry.union(
        "WorkEvent", description="How far the work is; at last the shift, or why there is none."
    ),
]


def shift(record: ops.Shift) -> Shift:
    """Return a shift as the schema shows it."""
    return shown(Shift, record, counts=counted(record.counts))


def _progress(record: OpsProgress) -> WorkProgress:
    return shown(WorkProgress, record, counts=counted(record.counts))


@strawberry.type
class ShiftMutation:
    """Work on the queue."""

    @strawberry.mutation(description="Begin to work the queue.")
    async def work(
        self,
        info: Info,
        kinds: Annotated[Strings, arg("Kinds of jobs; empty = all that something works.")] = (),
        budget_s: Annotated[
            float | None, arg("Seconds after which it ends; null = when nothing is ready.")
        ] = None,
    ) -> WorkResult:
        """Begin to work the queue."""
        context = info.context
        context.require_write()
        begun = await bridge.call(
            lambda: context.hall.ready().runs.shifts.start(context.caller, tuple(kinds), budget_s)
        )
        return WorkPayload(shift=shift(begun))

    @strawberry.mutation(description="Ask work on the queue to stop. What was done is kept.")
    async def cancel_work(self, info: Info, shift_uid: ShiftId) -> CancelWorkResult:
        """Ask work to stop."""
        context = info.context
        context.require_write()
        found = await bridge.call(lambda: context.hall.ready().runs.shifts.cancel(str(shift_uid)))
        return CancelWorkPayload(shift=shift(found))


@strawberry.type
class ShiftSubscription:
    """Work on the queue that can be followed."""

    @strawberry.subscription(description="Follow work on the queue to its end.")
    async def work_progress(
        self, info: Info, shift_uid: ShiftId
    ) -> AsyncGenerator[WorkEvent, None]:
        """Yield the events of a shift."""
        hall = info.context.hall
        events = bridge.stream(
            lambda: hall.ready().runs.shifts.follow(str(shift_uid), _HEARTBEAT_S)
        )
        try:
            async with aclosing(events):
                async for event in events:
                    is_end = isinstance(event, ops.Shift)
                    yield shift(event) if is_end else _progress(event)
        except GarageError as error:
            yield problems.of(error)
