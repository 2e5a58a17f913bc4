"""Handlers for tests of the queue, and jobs for them to work."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from api.ops import order
from api.ops.garage import Garage
from api.ops.handling import Subject
from api.ops.settings import WorkSettings
from api.ops.stopping import Stop
from graphstore import jobs
from graphstore.clock import new_uid
from graphstore.jobs import Job
from graphstore.session import Graph, Row, Transaction
from tests.graph.conftest import rows

CHANGED = datetime(2026, 5, 1, tzinfo=UTC)


def mark(tx: Transaction, document: str, kind: str) -> Mapping[str, int]:
    """Write an effect that shows how often it was written: by counting itself up."""
    tx.run("graph/advance", count=0)
    # Through the driver's own transaction: an effect of a test has no statement of the house.
    tx._transaction.run(  # pyright: ignore[reportPrivateUsage]
        "CYPHER 25 MATCH (d:Document {uid: $uid}) "
        "SET d.effects = coalesce(d.effects, 0) + 1, d.worked = coalesce(d.worked, []) + $kind",
        uid=document,
        kind=kind,
    )
    return {"effects": 1}


@dataclass
class Marker:
    """A handler that leaves a mark; `before` may fail, wait, or look around."""

    kind: str = "link"
    is_model: bool = False
    before: Callable[[Subject, Stop], None] = lambda _subject, _stop: None
    seen: list[str] = field(default_factory=list[str])
    """Addresses of the documents that it was handed, in order."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    turn: threading.Lock = field(default_factory=threading.Lock)

    def run(self, subject: Subject, stop: Stop) -> Callable[[Transaction, Row], Mapping[str, int]]:
        with self.turn:
            self.seen.append(subject.document.uri)
            self.texts[subject.document.uri] = subject.text
        self.before(subject, stop)
        return lambda tx, _stamp: mark(tx, subject.document.uid, self.kind)


def documents(graph: Graph) -> list[tuple[str, str]]:
    """Return uid and hash of every document, by address."""
    found = rows(
        graph, "MATCH (d:Document) RETURN d.uid AS u, d.content_sha256 AS h ORDER BY d.uri"
    )
    return [(str(row["u"]), str(row["h"])) for row in found]


def queue(graph: Graph, wanted: Sequence[Job]) -> None:
    """Put jobs into the queue."""
    graph.write(lambda tx: jobs.enqueue(tx, wanted, CHANGED))


def queue_all(garage: Garage, kind: str = "link") -> int:
    """Put a job of a kind for every document into the queue; return how many."""
    settings = WorkSettings()
    found = documents(garage.graph)
    queue(
        garage.graph,
        [
            Job(new_uid(), kind, uid, sha, order.rank(order.band(kind), 1.0, CHANGED, settings))
            for uid, sha in found
        ],
    )
    return len(found)


def effects(graph: Graph) -> list[int]:
    """Return how often each document was written to by jobs, by address."""
    found = rows(graph, "MATCH (d:Document) RETURN coalesce(d.effects, 0) AS n ORDER BY d.uri")
    return [int(str(row["n"])) for row in found]


def states(graph: Graph) -> list[str]:
    """Return the states of all jobs; that label and property agree is checked."""
    found = rows(graph, "MATCH (j:Job) RETURN labels(j) AS labels, j.state AS state ORDER BY j.uid")
    for row in found:
        labels = {str(label).lower() for label in row["labels"]} - {"job"}  # type: ignore[attr-defined] - a list
        assert labels == ({row["state"]} - {"done"})
    return sorted(str(row["state"]) for row in found)


def expire_leases(graph: Graph) -> None:
    """Let a minute go by, for whoever holds a job."""
    rows(graph, "MATCH (j:Running) SET j.lease_until = datetime.realtime() - duration('PT1S')")


def make_due(graph: Graph) -> None:
    """Let the time come for what waits."""
    rows(graph, "MATCH (j:Waiting) SET j.run_after = datetime.realtime() - duration('PT1S')")


def with_handlers(garage: Garage, *handlers: Marker) -> Garage:
    return replace(garage, handlers=handlers)
