"""C35, C59: Neo4j is killed in mid-work; nothing is half-written or lost, and work resumes."""

import itertools
import os
import signal
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import documents, schema
from graphstore.clock import SystemClock
from graphstore.errors import StoreUnavailable
from graphstore.server.process import ManagedServer
from graphstore.session import Graph
from graphstore.settings import ServerSettings
from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.garages import awaited
from tests.faults.history import History, violations
from tests.faults.killing import Kill, KillingGraph, lost
from tests.faults.orphans import orphans, torn
from tests.faults.story import Telling, tell
from tests.faults.test_cap import add_source, unit, writing
from tests.graph.conftest import empty, rows

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

_SMALL = replace(ServerSettings(), heap_mb=256, pagecache_mb=32)
_KILLS = (Kill("begin", 9), Kill("commit", 8), Kill("after-commit", 7))
"""Each in the middle of the first chapter: it has about 17 writes."""


@pytest.mark.campaign("C35")
@pytest.mark.req("SRC-8")
def test_neo4j_killed_in_mid_ingest_leaves_nothing_half_written_and_the_run_resumes(
    jar_cache: Path, tmp_path_factory: pytest.TempPathFactory, folder: Path
) -> None:
    home = tmp_path_factory.mktemp("killed")
    server = ManagedServer(home, jar_cache, _SMALL, os.environ, lambda _: None)
    story.turn_to(folder, 1)
    with ExitStack() as stack:
        stack.callback(server.stop)
        readers = stack.enter_context(Readers(ReadingSettings()))
        with Graph(server.start()) as graph:
            schema.apply(graph, SystemClock())
            tell(Telling(graph, readers, folder))
            expected = lines(graph)
            empty(graph)
        for kill in _KILLS:
            jvm = psutil.Process(server.pid)
            history = folder / "history"
            history.write_text("")
            seen: list[int] = []

            def pull(jvm: psutil.Process = jvm, seen: list[int] = seen) -> None:
                seen.append(jvm.pid)
                jvm.send_signal(signal.SIGKILL)
                awaited("the end of the JVM", lambda: not server.is_alive())

            with (
                KillingGraph(server.start(), kill, history, pull) as graph,
                pytest.raises(StoreUnavailable, match="does not answer"),
            ):
                tell(Telling(graph, readers, folder))
            assert (seen, server.is_alive()) == ([jvm.pid], False)
            with Graph(server.start()) as graph:
                assert lost(graph, history) == "", kill
                assert torn(graph) == {}, kill
                runs = tell(Telling(graph, readers, folder))
                assert [run.state for run in runs] == ["done", "done"]
                assert differences(expected, lines(graph)) == "", kill
                assert orphans(graph) == {}, kill
                empty(graph)


class Client(threading.Thread):
    """Writes version after version of its own documents until Neo4j is gone."""

    def __init__(self, graph: Graph, history: History) -> None:
        super().__init__(daemon=True)
        self._graph = graph
        self._history = history
        self.acknowledged = 0

    def run(self) -> None:
        for version in itertools.count():
            wanted = unit(f"{self._history.file.name}-{version % 3}", 3 + version % 7)
            draft = wanted.drafts[0][0]
            self._history.note("attempted", draft.uri, draft.content_sha256)
            try:
                documents.replace(self._graph, [wanted], writing(self._graph, "ingest"))
            except StoreUnavailable:
                return
            self._history.note("acknowledged", draft.uri, draft.content_sha256)
            self.acknowledged += 1


@pytest.mark.campaign("C59", part=True)
def test_what_was_acknowledged_to_many_clients_outlives_every_kill(
    jar_cache: Path, tmp_path: Path
) -> None:
    server = ManagedServer(tmp_path / "home", jar_cache, _SMALL, os.environ, lambda _: None)
    histories = [History(tmp_path / f"client-{number}") for number in range(4)]
    try:
        with Graph(server.start()) as graph:
            schema.apply(graph, SystemClock())
            add_source(graph)
        for _ in range(2):
            with Graph(server.start()) as graph:
                assert violations(graph, histories) == []
                clients = [Client(graph, history) for history in histories]
                for client in clients:
                    client.start()
                awaited("work", lambda c=clients: all(each.acknowledged > 4 for each in c), 240)
                psutil.Process(server.pid).kill()
                for client in clients:
                    client.join(120)
                    assert not client.is_alive()
        with Graph(server.start()) as graph:
            assert violations(graph, histories) == []
            # The measure itself notices what it must.
            rows(graph, "MATCH (c:Chunk {ordinal: 1}) WITH c LIMIT 1 SET c.text = 'other'")
            rows(graph, "MATCH (d:Document) WITH d LIMIT 1 DETACH DELETE d")
            assert {each.split(":")[0] for each in violations(graph, histories)} >= {"lost"}
    finally:
        server.stop()
