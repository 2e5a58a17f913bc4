"""C62: the disk of the data folder is full; nothing acknowledged is lost, and everybody is told."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest

from api.client import health
from graphstore.server import torn
from graphstore.server.process import ManagedServer
from graphstore.session import Graph
from graphstore.settings import ServerSettings
from tests.faults.disk import Disk, mounted
from tests.faults.garages import OwnGarage, awaited, ended
from tests.faults.orphans import orphans

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

_MUCH = "x" * 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with mounted(tmp_path / "disk", 640) as made:
        yield made


@pytest.fixture
def own(jar_cache: Path, disk: Disk, tmp_path: Path) -> Iterator[OwnGarage]:
    made = OwnGarage(disk.root / "data", jar_cache)
    _write_notes(tmp_path, range(60))
    try:
        yield made
    finally:
        disk.empty()
        made.end()


def _write_notes(folder: Path, numbers: range) -> None:
    (folder / "notes").mkdir(exist_ok=True)
    for number in numbers:
        text = f"At gauge {number} the weir was open. " + "The river stood high. " * 80
        (folder / "notes" / f"gauge-{number}.md").write_text(text, encoding="utf-8")


def _break(graph: Graph) -> None:
    """Have Neo4j meet a full disk, as it does when another program fills it within a write.

    It may have met it in a write of the service already, which then ends it.
    """
    errors = neo4j.exceptions
    met = (errors.DatabaseError, errors.ServiceUnavailable, errors.SessionExpired)
    with graph.driver.session(database=graph.database) as session, pytest.raises(met):
        for _ in range(100):
            session.run("CREATE (:Scratch {text: $text})", text=_MUCH).consume()


@pytest.mark.campaign("C62")
@pytest.mark.req("SRC-8")
def test_writes_are_refused_on_a_nearly_full_disk_and_go_on_when_there_is_space_again(
    own: OwnGarage, disk: Disk, tmp_path: Path
) -> None:
    own.do("add-source", "notes", str(tmp_path / "notes"))
    own.do("ingest")
    _write_notes(tmp_path, range(60, 90))
    disk.fill(leave_mb=100)
    code, out, error = ended(own.begin("ingest"))
    assert (code, "failed" in out) == (1, True), (out, error)
    assert "99 MiB are free" in error or "100 MiB are free" in error
    assert "256 MiB are needed" in error
    assert "Free some space" in error
    code, _, error = ended(own.begin("memory", "add", "the weir was open"))
    assert (code, "256 MiB are needed" in error) == (4, True), error
    assert "gauge" in own.do("search", "the weir at gauge 7")
    code, out, _ = ended(own.begin("doctor"))
    assert code == 1
    lines = {" ".join(line.split()[:2]) for line in out.splitlines() if not line.startswith(" ")}
    assert {"FAILED disk", "FAILED writes", "ok neo4j", "ok search", "ok mcp"} <= lines, out
    assert out.count("→ Free space: ") == 1, out
    assert "Free some space, then repeat" in out
    # A service that starts on such a disk reads, and writes nothing either.
    own.do("stop")
    assert "gauge" in own.do("search", "the weir at gauge 7")
    assert ended(own.begin("ingest"))[0] == 1
    disk.empty()
    own.do("ingest")
    _holds_all(own, 90)


@pytest.mark.campaign("C62")
@pytest.mark.req("SRC-8")
def test_a_neo4j_that_met_a_full_disk_is_told_and_mended_and_holds_what_was_acknowledged(
    own: OwnGarage, disk: Disk, tmp_path: Path
) -> None:
    own.do("add-source", "notes", str(tmp_path / "notes"))
    service = own.service()
    assert service
    run = own.run("ingest", slug="notes", confirm=False)["run"]["uid"]
    events = own.follow(run)
    next(event for event in events if event.get("done", 0) >= 12)
    with own.look() as graph:
        acknowledged = graph.read("graph/counts")[0]["documents"]
        disk.fill(leave_mb=0)
        _break(graph)
    last = [event for event in events if event["__typename"] == "IngestRun"][-1]
    assert last["state"] == "failed"
    assert "The disk is" in last["message"]
    assert 0 < acknowledged <= _stored(last)
    awaited("what is wrong", lambda: "The disk is full" in _standing(own))
    code, _, error = ended(own.begin("search", "the weir"))
    assert (code, "64 MiB are needed" in error, "Free some space" in error) == (4, True, True)
    log = (own.data / "logs" / "service.log").read_text(encoding="utf-8")
    assert "Logging error" not in log
    disk.empty()
    assert awaited("the service", own.ready, 180) == service
    with own.look() as graph:
        stored = graph.read("graph/counts")[0]["documents"]
    assert _stored(last) <= stored < 60
    own.do("ingest")
    _holds_all(own, 60)
    own.do("stop")
    assert "gauge" in own.do("search", "the weir at gauge 7")
    assert not (own.data / "neo4j" / torn.KEPT).exists(), "its log was torn"


def _stored(event: dict[str, Any]) -> int:
    counts = {each["name"]: int(each["number"]) for each in event["counts"]}
    return counts.get("stored", 0)


def _standing(own: OwnGarage) -> str:
    service = own.service()
    standing = health(service) if service else None
    return standing.message if standing else ""


def _holds_all(own: OwnGarage, number: int) -> None:
    with own.look() as graph:
        assert graph.read("graph/counts")[0]["documents"] == number
        assert orphans(graph) == {}


@pytest.mark.campaign("C62")
@pytest.mark.req("RUN-2")
def test_a_log_that_a_full_disk_tore_is_cut_where_the_acknowledged_ends(
    jar_cache: Path, disk: Disk
) -> None:
    settings = ServerSettings(heap_mb=256, pagecache_mb=32)
    home = disk.root / "neo4j"
    server = ManagedServer(home, jar_cache, settings, os.environ, lambda _: None)
    try:
        with Graph(server.start()) as graph:
            with graph.driver.session() as session:
                for number in range(20):
                    session.run("CREATE (:Kept {n: $n})", n=number).consume()
            disk.fill(leave_mb=0)
            _break(graph)
            disk.empty()
        # As the end of a session of the operating system does it: in order, and so too late.
        assert server.pid
        jvm = psutil.Process(server.pid)
        jvm.send_signal(signal.SIGTERM)
        awaited("its end", lambda: not server.is_alive())
        told: list[str] = []
        server.stop()
        again = ManagedServer(home, jar_cache, settings, os.environ, told.append)
        with Graph(again.start()) as graph, graph.driver.session() as session:
            found = session.run("MATCH (k:Kept) RETURN k.n AS n ORDER BY n").value("n")
        assert found == list(range(20))
        assert any("Mending" in each for each in told)
        assert (home / torn.KEPT / "neo4j").is_dir()
        again.stop()
    finally:
        server.stop()
