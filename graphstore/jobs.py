"""Jobs: work to be done later, one node each. While one is pending, its work is queued once.

A job is `Queued` (ready, in the order of its rank), `Waiting` (for its time), `Running` or
`Failed`; one that is done has none of these labels. `claims` takes them up, `queue_care` is for
who looks after the queue.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from graphstore.errors import NotFound
from graphstore.records import Wanted
from graphstore.session import Graph, Row, Transaction

State = Literal["queued", "waiting", "running", "failed", "done"]
STATES: Final[tuple[State, ...]] = get_args(State)
_UNFINISHED: Final = "Queued|Waiting|Running|Failed"
LABELS: Final[Mapping[str, str]] = {
    "queued": "Queued",
    "waiting": "Waiting",
    "running": "Running",
    "failed": "Failed",
    "done": f"Job&!({_UNFINISHED})",
}
"""What a node of each state is."""
FIRST: Final = (-1, "")
"""The place before the first job of a list."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work for one document."""

    uid: str
    kind: str
    document_uid: str
    content_sha256: str
    """Of the text that the work is about: a result for another text is of no use."""
    rank: int
    """Its place in the queue; the lowest comes first."""

    @property
    def dedup_key(self) -> str:
        """What is the same for the same work; while it is pending there is one job of it."""
        return f"{self.kind}:{self.document_uid}:{self.content_sha256}"


@dataclass(frozen=True, slots=True)
class About:
    """The document that a job is for."""

    uid: str
    uri: str
    title: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as lists show it."""

    uid: str
    kind: str
    state: State
    rank: int
    attempts: int
    created_at: datetime
    run_after: datetime | None
    """When a waiting job is due, by the database's clock."""
    lease_until: datetime | None
    finished_at: datetime | None
    worker: str | None
    error: str | None
    """Why it waits or failed; never text of a document."""
    about: About | None

    @property
    def place(self) -> tuple[int, str]:
        """Its place in lists."""
        return (self.rank, self.uid)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs there are, those that are done left out."""

    queued: int
    waiting: int
    running: int
    failed: int


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many jobs of a kind are in a state."""

    kind: str
    state: State
    number: int


def wanted(asked: Wanted, document_uid: str, content_sha256: str) -> Job:
    """Return the job that a text asked for, now that it is a document."""
    return Job(asked.uid, asked.kind, document_uid, content_sha256, asked.rank)


def enqueue(tx: Transaction, jobs: Iterable[Job], now: datetime) -> dict[str, str]:
    """Queue jobs; return by key the uid of the job that is pending, be it new or another.

    One that is pending already moves forward where the new one would stand further in front.
    """
    # In one order for all, so that two writers never wait for each other.
    ordered = sorted({job.dedup_key: job for job in jobs}.items())
    rows = [
        {
            "document": job.document_uid,
            "dedup_key": key,
            "rank": job.rank,
            "job": {
                "uid": job.uid,
                "kind": job.kind,
                "scope": "document",
                "content_sha256": job.content_sha256,
            },
        }
        for key, job in ordered
    ]
    if not rows:
        return {}
    return {row["dedup_key"]: row["uid"] for row in tx.run("jobs/enqueue", rows=rows, now=now)}


def listed(
    graph: Graph, state: State | None, kind: str | None, after: tuple[int, str], limit: int
) -> tuple[Entry, ...]:
    """Return jobs in the order of work, after the place of the last one seen.

    Without a state, all but those that are done.
    """
    label = LABELS[state] if state else _UNFINISHED
    rows = graph.read(
        "jobs/list",
        {"label": label},
        kind=kind,
        after_rank=after[0],
        after_uid=after[1],
        limit=limit,
    )
    return tuple(_entry(row) for row in rows)


def get(graph: Graph, uid: str) -> Entry:
    """Return one job.

    Raises:
        NotFound: there is none; one that was done is forgotten after a while.
    """
    for row in graph.read("jobs/get", uid=uid):
        return _entry(row)
    message = f"There is no job '{uid}'."
    raise NotFound(message, hint="'garage jobs' lists them; done ones are forgotten in time.")


def counts(graph: Graph) -> Counts:
    """Return how many jobs there are."""
    return Counts(**graph.read("jobs/counts")[0])


def kinds(graph: Graph) -> tuple[KindCount, ...]:
    """Return how many jobs there are of each kind and state."""
    return tuple(KindCount(**row) for row in graph.read("jobs/kinds"))


def ready(graph: Graph, kinds: Sequence[str]) -> int:
    """Return how many jobs of these kinds may be claimed now."""
    return int(graph.read("jobs/ready", kinds=list(kinds))[0]["number"])


def _entry(row: Row) -> Entry:
    job, document = row["job"], row["document"]
    return Entry(
        uid=job["uid"],
        kind=job["kind"],
        state=job["state"],
        rank=job["rank"],
        attempts=job["attempts"],
        created_at=job["created_at"],
        run_after=job["run_after"],
        lease_until=job["lease_until"],
        finished_at=job["finished_at"],
        worker=job["worker"],
        error=job["error"],
        about=About(**document) if document else None,
    )
