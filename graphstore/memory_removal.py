"""Memories, forgotten: no copy of the text is left anywhere, and the counts are exact.

With the text go its chunks and vectors, the edges of its evidence, what it said before, the jobs
for it, and the searches that returned it or say its text. The log keeps that somebody forgot it.
"""

from dataclasses import asdict, dataclass, replace
from functools import partial

from graphstore import documents, journal
from graphstore.journal import Activity
from graphstore.memories import no_such
from graphstore.session import Graph, Transaction


@dataclass(frozen=True, slots=True)
class Traces:
    """How much of a memory there is, or was."""

    chunks: int
    vectors: int
    """Vectors of its chunks, of all models."""
    evidence: int
    """Edges to what it rests on, and from memories that rest on it."""
    revisions: int
    searches: int
    """Searches in the log that returned it or say its text."""
    jobs: int
    facts: int = 0
    triples: int = 0


def traces(graph: Graph, uid: str) -> Traces:
    """Return how much of a memory there is.

    Raises:
        NotFound: there is no such memory.
    """
    rows = graph.read("memories/traces", uid=uid)
    if not rows:
        raise no_such(uid)
    return Traces(**rows[0])


def forget(graph: Graph, uid: str, activity: Activity) -> Traces:
    """Remove a memory with every trace of it; return what there was.

    Raises:
        NotFound: there is no such memory.
    """
    before = traces(graph, uid)
    return graph.write(partial(_forget, uid=uid, activity=activity, before=before))


def _forget(tx: Transaction, uid: str, activity: Activity, before: Traces) -> Traces:
    version = tx.run("graph/advance", count=0)[0]["version"]
    rows = tx.run("memories/traces", uid=uid)
    if not rows:  # the reply to an earlier commit of this very unit was lost
        return before
    found = Traces(**rows[0])
    tx.run("memories/forget_searches", uid=uid)
    documents.remove(tx, [uid], {"now": activity.at, "version": version})
    journal.record(tx, replace(activity, counts={"memories": 1, **asdict(found)}))
    return found
