"""C61 and C58 from the outermost door: services that start twice, die, and are found again."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.garages import OwnGarage, awaited, ended
from tests.faults.orphans import orphans

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]


@pytest.fixture
def own(jar_cache: Path, folder: Path) -> Iterator[OwnGarage]:
    made = OwnGarage(folder / "data", jar_cache)
    try:
        yield made
    finally:
        made.end()


@pytest.mark.campaign("C61")
@pytest.mark.req("RUN-1", part=True)
def test_a_second_service_is_refused_with_the_owners_pid_and_starts_no_jvm(own: OwnGarage) -> None:
    first = own.begin("serve")
    service = awaited("the service", own.ready, 180)
    (jvm,) = own.jvms()
    code, _, error = ended(own.begin("serve"))
    assert code != 0
    assert str(service.pid) in error
    assert own.jvms() == [jvm]
    found = own.ready()
    assert found
    assert found.pid == service.pid == first.pid
    first.send_signal(signal.SIGTERM)
    assert ended(first)[0] == 0
    assert (own.jvms(), own.service()) == ([], None)


@pytest.mark.campaign("C61")
@pytest.mark.req("RUN-1", part=True)
def test_two_clients_that_start_at_once_meet_at_one_service(own: OwnGarage) -> None:
    clients = [own.begin("sources", "--json") for _ in range(3)]
    outcomes = [ended(client) for client in clients]
    assert [code for code, _, _ in outcomes] == [0, 0, 0], outcomes
    assert own.ready()
    assert len(own.jvms()) == 1


@pytest.mark.campaign("C61")
@pytest.mark.req("RUN-1", part=True)
def test_after_a_killed_service_the_next_command_works_and_one_jvm_runs(own: OwnGarage) -> None:
    own.do("sources")
    service = own.service()
    assert service
    (jvm,) = own.jvms()
    os.kill(service.pid, signal.SIGKILL)
    own.do("sources")
    again = own.service()
    assert again
    assert again.pid != service.pid
    assert len(own.jvms()) == 1
    assert own.jvms() != [jvm]
    own.do("stop")
    assert (own.jvms(), own.service()) == ([], None)
    # Killed, and nobody comes: the JVM goes by itself.
    own.do("sources")
    service = own.service()
    assert service
    os.kill(service.pid, signal.SIGKILL)
    awaited("the end of the JVM", lambda: own.jvms() == [], 90)


@pytest.mark.req("RUN-2")
def test_a_neo4j_that_ends_by_itself_is_started_again_and_said_so(own: OwnGarage) -> None:
    own.do("stats")
    service = own.service()
    (killed,) = own.jvms()
    psutil.Process(killed).kill()
    awaited("another JVM", lambda: [pid for pid in own.jvms() if pid != killed])
    awaited("an answer", lambda: ended(own.begin("stats"))[0] == 0)
    assert own.service() == service
    log = (own.data / "logs" / "service.log").read_text(encoding="utf-8")
    assert "Neo4j ended by itself" in log


@pytest.mark.campaign("C58", part=True)
@pytest.mark.req("SRC-8")
def test_a_service_or_a_client_killed_in_an_ingest_changes_nothing_of_what_it_becomes(
    own: OwnGarage, folder: Path
) -> None:
    story.turn_to(folder, 1)
    expected = _whole(own, folder)
    for kill_at in (2, 5, 8):
        own.do("remove-source", "notes", "--yes")
        _add(own, folder)
        service = own.service()
        assert service
        _kill_service_at(own, kill_at, service.pid)
        own.do("ingest", "notes")
        assert _differences(own, expected) == "", f"service killed at file {kill_at}"
    own.do("remove-source", "notes", "--yes")
    _add(own, folder)
    client = own.begin("ingest", "notes")
    run = awaited("the client's run", lambda: _newest_run(own))
    client.kill()
    client.communicate()
    states = [event.get("state") for event in own.follow(run)]
    assert states[-1] == "done"
    assert _differences(own, expected) == "", "client killed"


def _add(own: OwnGarage, folder: Path) -> None:
    own.do("add-source", "notes", str(folder / "now" / "notes"))


def _whole(own: OwnGarage, folder: Path) -> tuple[str, ...]:
    _add(own, folder)
    own.do("ingest", "notes")
    return _settled(own)


def _settled(own: OwnGarage) -> tuple[str, ...]:
    """Return what the graph says, once the service has embedded everything."""
    with own.look() as graph:
        awaited("the vectors", lambda: graph.read("graph/counts")[0]["pending"] == 0, 180)
        awaited(
            "the model",
            lambda: all(row["state"] == "active" for row in graph.read("models/list")),
        )
        assert orphans(graph) == {}
        return lines(graph)


def _differences(own: OwnGarage, expected: tuple[str, ...]) -> str:
    return differences(expected, _settled(own))


def _kill_service_at(own: OwnGarage, done: int, pid: int) -> None:
    """Follow a run until it has done so many files, and kill the service then."""
    run = own.run("ingest", slug="notes", confirm=False)["run"]["uid"]
    for event in own.follow(run):
        if event["__typename"] != "Progress" or event["done"] >= done:
            break
    process = psutil.Process(pid)
    process.kill()
    process.wait(20)


def _newest_run(own: OwnGarage) -> str | None:
    with own.look() as graph:
        running = [row["run"] for row in graph.read("runs/list", source="notes", limit=1)]
    return str(running[0]["uid"]) if running and running[0]["state"] == "running" else None
