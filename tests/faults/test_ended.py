"""C60: ended at any moment, in order or not; nothing is left behind and the next start works."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from api.client import health
from api.serve.lifetime import ServiceRecord
from graphstore.server.ownership import Owner
from graphstore.session import Graph, Row
from tests.faults import story
from tests.faults.garages import OwnGarage, awaited, ended
from tests.faults.orphans import orphans

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1_200)]

BOUND_S = 5.0 * 6
"""Five seconds, on a machine that may be busy with much else."""


@pytest.fixture
def own(jar_cache: Path, folder: Path) -> Iterator[OwnGarage]:
    story.turn_to(folder, 1)
    made = OwnGarage(folder / "data", jar_cache)
    try:
        yield made
    finally:
        made.end()


def _imports(own: OwnGarage, serving: subprocess.Popen[str]) -> bool:
    """The command has only just begun."""
    return psutil.Process(serving.pid).num_threads() >= 1


def _starts_neo4j(own: OwnGarage, serving: subprocess.Popen[str]) -> bool:
    return bool(own.jvms())


def _prepares(own: OwnGarage, serving: subprocess.Popen[str]) -> bool:
    service = own.service()
    standing = health(service) if service else None
    return standing is not None and ("Preparing" in standing.message or standing.state == "ready")


def _ingests(own: OwnGarage, serving: subprocess.Popen[str]) -> bool:
    """It is in the middle of a run, and embeds beside it."""
    if not own.ready():
        return False
    own.run("add_source", **_source(own))
    run = own.run("ingest", slug="notes", confirm=False)["run"]["uid"]
    events = own.follow(run)
    return any(each["__typename"] != "Progress" or each["done"] >= 2 for each in events)


def _source(own: OwnGarage) -> dict[str, object]:
    return {"slug": "notes", "root": str(own.data.parent / "now" / "notes")}


@pytest.mark.campaign("C60")
@pytest.mark.req("RUN-1", part=True)
def test_an_interrupted_service_is_gone_at_once_with_its_neo4j_and_starts_again(
    own: OwnGarage,
) -> None:
    moments: list[Callable[[OwnGarage, subprocess.Popen[str]], bool]] = [
        _imports,
        _starts_neo4j,
        _prepares,
        _ingests,
    ]
    for moment in moments:
        serving = own.begin("serve")
        awaited(moment.__name__, lambda m=moment, s=serving: m(own, s), 300)
        serving.send_signal(signal.SIGINT)
        ended(serving, BOUND_S)
        awaited("the end of the JVM", lambda: own.jvms() == [], BOUND_S)
        # Its guard and its parsers notice a moment later.
        awaited(f"the end of all, {moment.__name__}", lambda: own.processes() == [], BOUND_S)
        assert not (own.data / "service.token").exists(), moment.__name__
    own.serve()
    own.do("ingest", "notes")
    with own.look() as graph:
        awaited("the vectors", lambda: graph.read("graph/counts")[0]["pending"] == 0, 300)
        assert orphans(graph) == {}
        states = {row["run"]["state"] for row in graph.read("runs/list", source="notes", limit=9)}
        assert "running" not in states


@pytest.mark.campaign("C60")
@pytest.mark.req("RUN-1", part=True)
@pytest.mark.req("SRC-8")
def test_after_service_and_neo4j_were_killed_stale_files_keep_nobody_from_starting(
    own: OwnGarage,
) -> None:
    serving = own.serve()
    own.run("add_source", **_source(own))
    run = own.run("ingest", slug="notes", confirm=False)["run"]["uid"]
    next(iter(own.follow(run)))
    (jvm,) = own.jvms()
    serving.kill()
    psutil.Process(jvm).kill()
    ended(serving)
    awaited("the end of both", lambda: own.jvms() == [] and own.processes() == [])
    # Of another process now: a pid alone says nothing.
    for file in (own.data / "service.json", own.data / "neo4j" / "owner.json"):
        record = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps(record | {"pid": os.getpid()}), encoding="utf-8")
    for name in ("service.lock", "neo4j/owner.lock", "neo4j/data/databases/store_lock"):
        assert (own.data / name).exists()
    own.serve()
    assert len(own.jvms()) == 1
    own.do("ingest", "notes")
    with own.look() as graph:
        runs = {row["run"]["uid"]: row["run"]["state"] for row in _runs(graph)}
        assert runs[run] in {"interrupted", "done"}
        assert "running" not in runs.values()
        awaited("the vectors", lambda: graph.read("graph/counts")[0]["pending"] == 0, 300)
        assert orphans(graph) == {}


def _runs(graph: Graph) -> list[Row]:
    return graph.read("runs/list", source="notes", limit=9)


@pytest.mark.campaign("C60")
def test_a_process_that_only_awaits_its_reaping_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    process = psutil.Process(child.pid)
    began = process.create_time()
    awaited("its end", lambda: process.status() == psutil.STATUS_ZOMBIE)
    try:
        assert not ServiceRecord(child.pid, began, 1, "", "0").is_alive
        assert not Owner(child.pid, began).is_alive
        mine = psutil.Process()
        assert ServiceRecord(mine.pid, mine.create_time(), 1, "", "0").is_alive
        assert Owner(mine.pid, mine.create_time()).is_alive
    finally:
        child.wait()


@pytest.mark.campaign("C60")
def test_a_service_that_only_just_starts_is_stopped_too(own: OwnGarage) -> None:
    serving = own.begin("serve")
    awaited("its lock", lambda: (own.data / "service.lock").exists())
    own.do("stop")
    ended(serving, BOUND_S)
    awaited("the end of all", lambda: own.jvms() == [] and own.processes() == [], BOUND_S)
