"""A graph that kills its own process at a chosen moment, and keeps what was acknowledged.

The moments are those of write transactions: the n-th begin, the n-th commit before it is sent, and
the n-th commit after its reply. The history is a file with one line before each commit (what the
graph will hold) and one after its reply; it survives the kill.
"""

import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import neo4j

from graphstore.session import Graph
from graphstore.settings import Connection
from graphstore.watch import Patience

Point = Literal["begin", "commit", "after-commit"]
POINTS: Final[tuple[Point, ...]] = ("begin", "commit", "after-commit")

_HELD: Final = """
CYPHER 25
CALL () {
  MATCH (d:Document)
  WITH d, d.uri + ' ' + d.content_sha256 + ' ' + COUNT { (d)-[:HAS_CHUNK]->() } + ' '
       + COUNT { (d)-[:HAS_CHUNK]->(:Unembedded) } AS line ORDER BY line
  RETURN collect(line) AS documents
}
CALL () { MATCH (a:Activity) WITH a.uid AS uid ORDER BY uid RETURN collect(uid) AS activities }
CALL () {
  MATCH (o:Outcome) WITH o.key + ' ' + o.state AS line ORDER BY line RETURN collect(line) AS files
}
RETURN documents, activities, files
"""


@dataclass(frozen=True, slots=True)
class Kill:
    """When to die."""

    point: Point
    number: int


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class KillingGraph(Graph):
    """The store, with a hand on the plug. `pull` is what happens at the moment of `kill`."""

    def __init__(
        self,
        connection: Connection,
        kill: Kill | None,
        history: Path,
        pull: Callable[[], None] = kill_this_process,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(connection, patience)
        self._kill = kill
        self._history = history
        self._pull = pull
        self._turn = threading.Lock()
        self.writes = dict.fromkeys(POINTS, 0)
        with self.driver.session(database=self.database) as session:
            # What was there before the first write is there when that one is killed.
            self._note("acknowledged", session.run(_HELD).data()[0])

    def _begin(self, session: neo4j.Session, timeout_s: float) -> neo4j.Transaction:
        opened = super()._begin(session, timeout_s)
        self._reach("begin")
        return opened

    def _commit(self, transaction: neo4j.Transaction) -> None:
        held = transaction.run(_HELD).data()[0]
        self._note("attempted", held)
        self._reach("commit")
        super()._commit(transaction)
        self._note("acknowledged", held)
        self._reach("after-commit")

    def _reach(self, point: Point) -> None:
        with self._turn:
            self.writes[point] += 1
            if self._kill == Kill(point, self.writes[point]):
                self._pull()

    def _note(self, event: str, held: dict[str, Any]) -> None:
        with self._history.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, "sha256": _hash(held), "held": held}) + "\n")
            file.flush()
            os.fsync(file.fileno())


def lost(graph: Graph, history: Path) -> str:
    """Return what the graph should hold and does not, or holds and should not; empty = nothing.

    With one writer, what is there must be exactly what the last acknowledged transaction left, or
    the last attempted one.
    """
    noted = [json.loads(line) for line in history.read_text("utf-8").splitlines() if line]
    if not noted:
        return ""
    last = {each["event"]: each for each in noted}
    with graph.driver.session(database=graph.database) as session:
        held = session.run(_HELD).data()[0]
    if _hash(held) in {each["sha256"] for each in last.values()}:
        return ""
    expected = last["acknowledged"]["held"] if "acknowledged" in last else {}
    return "\n".join(
        f"{key}: lost {sorted({*expected.get(key, ())} - {*held[key]})}, "
        f"extra {sorted({*held[key]} - {*expected.get(key, ())})}"
        for key in held
    )


def _hash(held: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()
