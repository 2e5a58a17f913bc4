"""C60, C39: a service that is frozen is told by every door, ended by `stop`, and mended after."""

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.faults import story
from tests.faults.freezing import freezer
from tests.faults.garages import OwnGarage, awaited, ended

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def own(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnGarage]:
    """A garage that each test leaves as it found it: it serves."""
    folder = tmp_path_factory.mktemp("frozen")
    story.write(folder)
    story.turn_to(folder, 1)
    made = OwnGarage(folder / "data", jar_cache)
    try:
        made.do("add-source", "notes", str(folder / "now" / "notes"))
        made.do("ingest")
        yield made
    finally:
        made.end()


@pytest.mark.campaign("C60")
@pytest.mark.req("RUN-7")
def test_a_frozen_service_is_named_by_every_command_and_ended_by_stop(own: OwnGarage) -> None:
    own.do("stats")
    service = own.service()
    assert service
    says = f"(pid {service.pid}) does not answer"
    process = psutil.Process(service.pid)
    process.suspend()
    awaited("the frost", lambda: process.status() == psutil.STATUS_STOPPED)
    code, _, error = ended(own.begin("search", "the river"))
    assert (code, says in error, "garage stop" in error) == (4, True, True), error
    assert "Waiting" not in error
    standing = json.loads(own.do("status", "--json"))
    assert (standing["running"], standing["state"]) == (True, "silent")
    assert says in standing["message"]
    code, out, _ = ended(own.begin("doctor", "--json"))
    checks = json.loads(out)["checks"]
    (check,) = [check for check in checks if check["part"] == "service"]
    assert (code, check["state"], says in check["detail"]) == (1, "failed", True)
    assert "garage stop" in check["nextStep"]
    code, _, error = ended(own.begin("stop"))
    assert (code, "is frozen" in error) == (0, True), error
    assert (own.jvms(), own.processes()) == ([], [])
    assert "notes:" in own.do("search", "the river")


@pytest.mark.campaign("C39")
@pytest.mark.req("RUN-2")
def test_a_frozen_neo4j_is_told_by_status_and_doctor_beside_a_service_that_answers(
    own: OwnGarage,
) -> None:
    own.do("stats")
    (jvm,) = own.jvms()
    assert json.loads(own.do("status", "--json"))["state"] == "ready"
    with freezer(psutil.Process(jvm)) as ice:
        ice.freeze()
        standing = json.loads(own.do("status", "--json"))
        assert standing["state"] == "failed"
        assert "Neo4j" in standing["message"]
        code, out, _ = ended(own.begin("doctor"))
        assert code == 1
        line = next(line for line in out.splitlines() if " service " in line)
        assert line.startswith("FAILED")
        assert "Neo4j" in line
        assert "garage serve" not in out
    awaited("Neo4j", lambda: json.loads(own.do("status", "--json"))["state"] == "ready")


@pytest.mark.campaign("C35")
@pytest.mark.req("RUN-2")
def test_a_search_that_meets_the_end_of_neo4j_waits_for_the_next_one(own: OwnGarage) -> None:
    own.do("stats")
    (jvm,) = own.jvms()
    psutil.Process(jvm).kill()
    code, out, error = ended(own.begin("search", "the river"))
    assert "refused" not in error
    # On a machine that is slower than the wait, the search says what it waited for.
    assert "notes:" in out if code == 0 else "starting it again" in error, (code, error)
    awaited("an answer", lambda: ended(own.begin("search", "the river"))[0] == 0)
    assert own.jvms() != [jvm]
