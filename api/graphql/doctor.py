"""Doctor: the parts of the service with their state, and the mutation that mends indexes."""

from typing import Annotated

import strawberry

from api.graphql.context import Info
from api.graphql.problems import Refused, Unavailable
from api.graphql.types import described, shown
from api.ops import doctor as ops


@strawberry.type(description="How a part of the service stands.")
class Check:
    """How a part of the service stands."""

    part: str = described("neo4j, writes, indexes, graph, models, sources, queue or search.")
    state: str = described("ok, warning or failed.")
    detail: str = described("What was found.")
    next_step: str = described("What mends it; empty when nothing is wrong.")


@strawberry.type(description="The parts of the service, in the order they depend on each other.")
class CheckList:
    """The parts of the service."""

    items: list[Check] = described("The checks.")


@strawberry.type(description="What a repair made anew.")
class RepairPayload:
    """What a repair made anew."""

    indexes: list[str] = described(
        "Indexes that were missing or had failed; they fill by themselves."
    )


ChecksResponse = Annotated[
    CheckList | Unavailable,
    strawberry.union("ChecksResponse", description="How the parts stand, or why it is unknown."),
]
RepairResult = Annotated[
    RepairPayload | Refused | Unavailable,
    strawberry.union("RepairResult", description="What was made anew, or why nothing was."),
]


@strawberry.type
class DoctorQuery:
    """What the doctor sees."""

    @strawberry.field(description="Every part of the service with its state. Tries each for real.")
    async def checks(self, info: Info) -> ChecksResponse:
        """Return how every part stands."""
        found = await info.context.run(ops.checks)
        return CheckList(items=[shown(Check, each) for each in found])


@strawberry.type
class DoctorMutation:
    """What the doctor does."""

    @strawberry.mutation(description="Make missing and failed indexes anew.")
    async def repair(self, info: Info) -> RepairResult:
        """Make missing and failed indexes anew."""
        info.context.require_write()
        made = await info.context.run(ops.repair, info.context.caller)
        return RepairPayload(indexes=list(made))
