"""C58, ingest: a client killed at every moment of every write, resumed, tells the same graph."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from graphstore.session import Graph
from graphstore.settings import Connection
from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.killer import Killer
from tests.faults.killing import POINTS, Kill, lost
from tests.faults.orphans import orphans, torn
from tests.faults.story import CHAPTERS

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

_STRICT_ISOLATION_EVERY = 12
"""Every so many rounds the parsing process is a real one, and must not outlive its client."""


def clear(graph: Graph) -> None:
    """Empty the graph; its indexes stay, so that a round is cheap."""
    with graph.driver.session(database=graph.database) as session:
        session.run("CYPHER 25 MATCH (n:!(SchemaVersion|SchemaLock|Predicate)) DETACH DELETE n")


def left_by(client: int) -> list[int]:
    """Return the processes of a client's session, once none is there or 20 s have passed."""
    deadline = time.monotonic() + 20
    while True:
        left = [process.pid for process in psutil.process_iter() if _session(process) == client]
        if not left or time.monotonic() > deadline:
            return left


def _session(process: psutil.Process) -> int:
    try:
        return os.getsid(process.pid)
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A chapter that was told in peace."""

    lines: tuple[str, ...]
    writes: int


@pytest.mark.campaign("C58", part=True)
@pytest.mark.req("SRC-8")
def test_a_client_killed_at_any_write_and_resumed_tells_the_same_graph(
    graph: Graph, neo4j_server: Connection, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    rounds = 0
    with Killer(neo4j_server, folder) as killer:
        peace = {chapter: told_in_peace(graph, killer, folder, chapter) for chapter in CHAPTERS}
        # One number more than there are writes: then the clients end by themselves.
        for number in range(1, max(each.writes for each in peace.values()) + 2):
            for point in POINTS:
                rounds += 1
                clear(graph)
                isolated = rounds % _STRICT_ISOLATION_EVERY == 0
                for chapter in CHAPTERS:
                    story.turn_to(folder, chapter)
                    kill = Kill(point, number)
                    told = killer.tell(kill, isolated=isolated)
                    dies = number <= peace[chapter].writes
                    assert told.code == (-signal.SIGKILL if dies else 0), (chapter, kill)
                    assert left_by(told.pid) == [], (chapter, kill)
                    assert lost(graph, killer.history) == "", (chapter, kill)
                    assert torn(graph) == {}, (chapter, kill)
                    resumed = killer.tell()
                    assert (resumed.code, resumed.states) == (0, ("done", "done")), (chapter, kill)
                    assert differences(peace[chapter].lines, lines(graph)) == "", (chapter, kill)
                    assert orphans(graph) == {}, (chapter, kill)
    writes = [each.writes for each in peace.values()]
    with capsys.disabled():
        took = time.monotonic() - began
        print(f"\nC58: {writes} writes, each killed at {len(POINTS)} moments, in {took:.0f} s")


def told_in_peace(graph: Graph, killer: Killer, folder: Path, chapter: int) -> Undisturbed:
    story.turn_to(folder, chapter)
    told = killer.tell(isolated=True)
    assert (told.code, told.states) == (0, ("done", "done"))
    assert orphans(graph) == {}
    return Undisturbed(lines(graph), told.writes["commit"])
