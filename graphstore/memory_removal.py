"""Memories, forgotten: no copy of the text is left anywhere, and the counts are exact.

With the text go its chunks and vectors, the edges of its evidence, what it said before, the jobs
for it, and the searches that returned it or say its text. The log keeps that somebody forgot it.
Several go together, in one transaction, or none does.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Self

from graphstore import documents, journal
from graphstore.journal import Activity
from graphstore.memories import no_such
from graphstore.session import Graph, Row, Transaction


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

    @classmethod
    def together(cls, found: Sequence[Self]) -> Self:
        """Return the sum of what there is of several."""
        rows = [asdict(each) for each in found]
        return cls(**{each.name: sum(row[each.name] for row in rows) for each in fields(cls)})


def traces(graph: Graph, uid: str) -> Traces:
    """Return how much of a memory there is.

    Raises:
        NotFound: there is no such memory.
    """
    rows = graph.read("memories/traces", uid=uid)
    if not rows:
        raise no_such(uid)
    return Traces(**rows[0])


def forget(graph: Graph, uids: Sequence[str], activity: Activity) -> tuple[Traces, ...]:
    """Remove memories with every trace of them; return what there was of each.

    What two of them share, such as a search that returned both, goes and counts with the first.

    Raises:
        NotFound: one of them is no memory; nothing was removed.
    """
    known: list[tuple[Traces, ...]] = []
    return graph.write(partial(removed, uids=uids, activity=activity, known=known))


def removed(
    tx: Transaction, uids: Sequence[str], activity: Activity, known: list[tuple[Traces, ...]]
) -> tuple[Traces, ...]:
    """Remove memories within a transaction; `known` keeps what an earlier attempt found.

    Raises:
        NotFound: one of them is no memory.
    """
    version = tx.run("graph/advance", count=0)[0]["version"]
    there = {row["uid"] for row in tx.run("memories/there", uids=list(uids))}
    if not there and known:  # the reply to an earlier commit of this very unit was lost
        return known[-1]
    for uid in uids:
        if uid not in there:
            raise no_such(uid)
    stamp = {"now": activity.at, "version": version}
    found = tuple(_take(tx, uid, stamp) for uid in uids)
    known.append(found)
    counts = {"memories": len(found), **asdict(Traces.together(found))}
    journal.record(tx, replace(activity, counts=counts))
    return found


def _take(tx: Transaction, uid: str, stamp: Row) -> Traces:
    # One after the other: what is counted with one is gone before the next is looked at.
    found = Traces(**tx.run("memories/traces", uid=uid)[0])
    tx.run("memories/forget_searches", uid=uid)
    documents.remove(tx, [uid], stamp)
    return found
