"""C35: Neo4j is killed in the middle of an ingest; nothing is half-written, and the run resumes."""

import os
import signal
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import schema
from graphstore.clock import SystemClock
from graphstore.errors import StoreUnavailable
from graphstore.server.process import ManagedServer
from graphstore.session import Graph
from graphstore.settings import ServerSettings
from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.garages import awaited
from tests.faults.killing import Kill, KillingGraph, lost
from tests.faults.orphans import orphans, torn
from tests.faults.story import Telling, tell
from tests.graph.conftest import empty

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
