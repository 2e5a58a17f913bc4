"""Jobs: the queue as it is read; what is tried again, and what is dropped."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql import ids
from api.graphql.arguments import Strings, arg
from api.graphql.context import Info
from api.graphql.problems import InvalidInput, NotFound, Refused, Unavailable
from api.graphql.stats import JobCounts
from api.graphql.types import Node, PageInfo, described, shown
from api.ops import jobs as ops
from graphstore import jobs as records

Kind = Annotated[str | None, arg("Only of this kind; null = of all.")]


@strawberry.type(description="Work to be done later, for one document.")
class Job(Node):
    """Work to be done later."""

    uid: str = described("Its uid.")
    kind: str = described("What is to be done.")
    state: str = described("queued, waiting, running, failed or done.")
    document_uid: str | None = described("The document that it is for.")
    document_uri: str | None = described("Its address.")
    title: str | None = described("Its title.")
    attempts: int = described("How often it was tried.")
    created_at: datetime = described("When it was asked for.")
    run_after: datetime | None = described("When a waiting one is due.")
    lease_until: datetime | None = described("Until when a worker holds a running one.")
    finished_at: datetime | None = described("When it was done or given up.")
    worker: str | None = described("Who works on it, or did last.")
    error: str | None = described("Why it waits or failed.")


def job(record: records.Entry) -> Job:
    """Return a job as the schema shows it."""
    about = record.about
    return shown(
        Job,
        record,
        id=strawberry.ID(ids.encode("Job", record.uid)),
        document_uid=about.uid if about else None,
        document_uri=about.uri if about else None,
        title=about.title if about else None,
    )


@strawberry.type(description="A job's place in a list.")
class JobEdge:
    """A job's place in a list."""

    cursor: str = described("Pass it as `after` to get what follows this job.")
    node: Job = described("The job.")


@strawberry.type(description="A page of jobs, in the order of work.")
class JobConnection:
    """A page of jobs."""

    edges: list[JobEdge] = described("The jobs of this page.")
    page_info: PageInfo = described("Whether the list goes on.")


@strawberry.type(description="How many jobs of a kind are in a state.")
class JobKind:
    """How many jobs of a kind are in a state."""

    kind: str = described("The kind.")
    state: str = described("queued, waiting, running or failed.")
    number: int = described("How many.")


@strawberry.type(description="How the queue stands.")
class Queue:
    """How the queue stands."""

    counts: JobCounts = described("Jobs by state.")
    kinds: list[JobKind] = described("Jobs by kind and state.")
    unworked: list[str] = described("Kinds in it that nothing works yet.")


@strawberry.type(description="How many jobs a request was about.")
class JobsPayload:
    """How many jobs a request was about."""

    jobs: int = described("How many.")
    counts: JobCounts = described("How the queue stands now.")


JobsResponse = Annotated[
    JobConnection | InvalidInput | Unavailable,
    strawberry.union("JobsResponse", description="A page of jobs, or why not."),
]
QueueResponse = Annotated[
    Queue | Unavailable,
    strawberry.union("QueueResponse", description="How the queue stands, or why not."),
]
RetryJobsResult = Annotated[
    JobsPayload | InvalidInput | NotFound | Refused | Unavailable,
    strawberry.union("RetryJobsResult", description="How many are tried again, or why none."),
]
DropJobsResult = Annotated[
    JobsPayload | InvalidInput | NotFound | Refused | Unavailable,
    strawberry.union("DropJobsResult", description="How many were dropped, or why none."),
]


@strawberry.type
class JobQuery:
    """What waits to be done."""

    @strawberry.field(description="Jobs in the order of work; without those that are done.")
    async def jobs(
        self,
        info: Info,
        state: Annotated[
            str | None, arg("queued, waiting, running, failed or done; null = all but done.")
        ] = None,
        kind: Kind = None,
        first: Annotated[int, arg("How many at a time, 1 to 100.")] = 20,
        after: Annotated[str | None, arg("The endCursor of the page before.")] = None,
    ) -> JobsResponse:
        """Return a page of jobs."""
        page = await info.context.run(ops.listed, state, kind, first, after)
        edges = [JobEdge(cursor=ops.cursor(each), node=job(each)) for each in page.jobs]
        more = page.next_cursor is not None
        end = edges[-1].cursor if edges else None
        return JobConnection(edges=edges, page_info=PageInfo(has_next_page=more, end_cursor=end))

    @strawberry.field(description="How the queue stands, by state and kind.")
    async def queue(self, info: Info) -> QueueResponse:
        """Return how the queue stands."""
        found = await info.context.run(ops.standing)
        return Queue(
            counts=shown(JobCounts, found.counts),
            kinds=[shown(JobKind, each) for each in found.kinds],
            unworked=list(found.unworked),
        )


@strawberry.type
class JobMutation:
    """What can be done with the queue."""

    @strawberry.mutation(description="Have jobs tried again: all that failed, or those named.")
    async def retry_jobs(
        self,
        info: Info,
        jobs: Annotated[Strings, arg("Ids or uids, 1,000 at most; empty = all that failed.")] = (),
        kind: Kind = None,
    ) -> RetryJobsResult:
        """Have jobs tried again."""
        info.context.require_write()
        wanted = ops.chosen(_keys(jobs), None, kind)
        done = await info.context.run(ops.retry, info.context.caller, wanted)
        return await _payload(info, done)

    @strawberry.mutation(description="Remove jobs; what they were to do is not done.")
    async def drop_jobs(
        self,
        info: Info,
        jobs: Annotated[Strings, arg("Ids or uids, 1,000 at most; empty = all of a state.")] = (),
        state: Annotated[
            str | None, arg("Of which state, when none is named; null = failed.")
        ] = None,
        kind: Kind = None,
    ) -> DropJobsResult:
        """Remove jobs."""
        info.context.require_write()
        wanted = ops.chosen(_keys(jobs), state, kind)
        done = await info.context.run(ops.drop, info.context.caller, wanted)
        return await _payload(info, done)


async def _payload(info: Info, done: int) -> JobsPayload:
    standing = await info.context.run(ops.counts)
    return JobsPayload(jobs=done, counts=shown(JobCounts, standing))


def _keys(named: Strings) -> tuple[str, ...]:
    return tuple(ids.key_of("Job", each) for each in named)
