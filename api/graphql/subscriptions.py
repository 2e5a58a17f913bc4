"""Subscriptions: what can be followed while it happens, over SSE and WebSocket."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Final

import strawberry

from api.graphql import ids, problems, types
from api.graphql.arguments import arg
from api.graphql.context import Info
from api.graphql.shifts import ShiftSubscription
from api.ops import bridge
from graphstore.errors import GarageError
from graphstore.outcomes import Run

_HEARTBEAT_S: Final = 1.0

IngestEvent = Annotated[
    types.Progress | types.IngestRun | problems.NotFound | problems.Unavailable,
    strawberry.union(
        "IngestEvent", description="How far the run is; at last the run, or why there is none."
    ),
]


@strawberry.type(description="What can be followed while it happens.")
class Subscription(ShiftSubscription):
    """What can be followed while it happens."""

    @strawberry.subscription(description="Follow an ingest run to its end.")
    async def ingest_progress(
        self, info: Info, run: Annotated[strawberry.ID, arg("The run's id or uid.")]
    ) -> AsyncGenerator[IngestEvent, None]:
        """Yield a run's events."""
        hall = info.context.hall
        uid = ids.key_of("IngestRun", str(run))
        events = bridge.stream(lambda: hall.ready().runs.follow(uid, _HEARTBEAT_S))
        try:
            async with aclosing(events):
                async for event in events:
                    is_end = isinstance(event, Run)
                    yield types.ingest_run(event) if is_end else types.progress(event)
        except GarageError as error:
            yield problems.of(error)
