"""Care of the queue: jobs are tried again, dropped, forgotten in time, and moved forward.

It goes in batches, each whole; one that is broken off is done again from where it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graphstore import journal
from graphstore.jobs import LABELS, Job, State
from graphstore.journal import Activity
from graphstore.session import Graph, Row, Transaction

_BATCH: Final = 500
_MENDABLE: Final = frozenset({"failed", "waiting"})


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which jobs are meant: those of some uids, or else all of a state and a kind."""

    uids: tuple[str, ...] = ()
    state: State = "failed"
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Warmth:
    """What is known of a document of late that has jobs in the queue."""

    mtime: datetime
    trust: str
    hits: tuple[datetime, ...]
    """When searches returned it."""
    memories: int
    """How many rest on it."""
    ranks: Mapping[str, int]
    """Of its queued jobs, by uid."""


def retry(graph: Graph, chosen: Chosen, activity: Activity) -> int:
    """Have jobs that failed or wait worked on at once, as if for the first time; return how many.

    Of several that failed at the same work, one is worked on; the others go.
    """
    return _in_batches(graph, chosen, activity, _retry)


def drop(graph: Graph, chosen: Chosen, activity: Activity) -> int:
    """Remove jobs; what they were to do is not done. Return how many.

    One that runs is let run, and what it made is thrown away.
    """
    return _in_batches(graph, chosen, activity, _drop)


def missing(graph: Graph, uids: Sequence[str]) -> tuple[str, ...]:
    """Return those of some uids that no job has."""
    there = {str(row["uid"]) for row in graph.read("jobs/these", uids=list(uids))}
    return tuple(uid for uid in uids if uid not in there)


def purge(graph: Graph, before: datetime) -> int:
    """Forget jobs that were done before a moment; return how many."""
    total, removed = 0, -1
    while removed:
        rows = graph.write(lambda tx: tx.run("jobs/purge", before=before, limit=_BATCH))
        removed = int(rows[0]["removed"])
        total += removed
    return total


def warmths(graph: Graph, since: datetime, limit: int) -> tuple[Warmth, ...]:
    """Return what is known of documents with jobs in the queue that the last searches returned."""
    return tuple(
        Warmth(
            mtime=row["mtime"],
            trust=row["trust"],
            hits=tuple(row["hits"]),
            memories=row["memories"],
            ranks={job["uid"]: job["rank"] for job in row["jobs"]},
        )
        for row in graph.read("jobs/heat", since=since, limit=limit)
    )


def move_forward(graph: Graph, ranks: Mapping[str, int]) -> int:
    """Give queued jobs, by uid, a rank further in front; return how many moved."""
    rows = [{"uid": uid, "rank": rank} for uid, rank in sorted(ranks.items())]
    return sum(
        graph.write(partial(_rerank, rows=rows[start : start + _BATCH]))
        for start in range(0, len(rows), _BATCH)
    )


def _rerank(tx: Transaction, rows: Sequence[Row]) -> int:
    return int(tx.run("jobs/rerank", rows=list(rows))[0]["moved"])


def _in_batches(
    graph: Graph,
    chosen: Chosen,
    activity: Activity,
    act: Callable[[Transaction, Sequence[Row]], int],
) -> int:
    """Do something with all chosen jobs; the log has one entry for all batches."""
    for rows in _batches(graph, chosen):
        targets = tuple(f"job:{row['uid']}" for row in rows)
        log = replace(activity, targets=targets)
        activity = graph.write(partial(_batch, rows=rows, act=act, log=log))
    return activity.counts.get("jobs", 0)


def _batch(
    tx: Transaction,
    rows: Sequence[Row],
    act: Callable[[Transaction, Sequence[Row]], int],
    log: Activity,
) -> Activity:
    # Whoever enqueues holds the counter too: no key is taken meanwhile.
    tx.run("graph/advance", count=0)
    counts = {"jobs": log.counts.get("jobs", 0) + act(tx, rows)}
    counted = replace(log, counts=counts)
    journal.record(tx, counted)
    return counted


def _retry(tx: Transaction, rows: Sequence[Row]) -> int:
    first: dict[str, Row] = {}
    rows = [row for row in rows if row["state"] in _MENDABLE]
    for row in rows:
        job = Job(row["uid"], row["kind"], row["document"] or "", row["content_sha256"], 0)
        first.setdefault(job.dedup_key, {"uid": job.uid, "dedup_key": job.dedup_key})
    wanted = list(first.values())
    kept = {row["uid"] for row in wanted}
    tx.run("jobs/drop", uids=[row["uid"] for row in rows if row["uid"] not in kept])
    return int(tx.run("jobs/retry", rows=wanted)[0]["retried"])


def _drop(tx: Transaction, rows: Sequence[Row]) -> int:
    return int(tx.run("jobs/drop", uids=[row["uid"] for row in rows])[0]["dropped"])


def _batches(graph: Graph, chosen: Chosen) -> Iterator[Sequence[Row]]:
    if chosen.uids:
        for start in range(0, len(chosen.uids), _BATCH):
            if rows := graph.read("jobs/these", uids=list(chosen.uids[start : start + _BATCH])):
                yield rows
        return
    after = ""
    label = {"label": LABELS[chosen.state]}
    while rows := graph.read("jobs/some", label, kind=chosen.kind, after=after, limit=_BATCH):
        after = rows[-1]["uid"]
        yield rows
