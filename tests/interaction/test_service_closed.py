"""A service and the machine around it: what others may read, and what it listens on."""

import http.client
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from api.client import find
from tests.interaction.homes import GARAGE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes")
_LIMIT_S = 120


class Desk:
    """A service of its own, on a Neo4j that does not answer: it listens all the same."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.cache = cache
        self.data = folder / "data"
        self.config = folder / "garage.json"
        self.config.write_text("{}")
        self.config.chmod(0o600)
        self.started: list[subprocess.Popen[bytes]] = []

    def environment(self, **variables: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GARAGE_DATA": str(self.data),
            "GARAGE_CACHE": str(self.cache),
            "GARAGE_CONFIG": str(self.config),
            "NEO4J_URI": "bolt://127.0.0.1:1",
            **variables,
        }

    def serve(self, **variables: str) -> Any:
        """Start the service, and return its record once it listens."""
        process = subprocess.Popen([*GARAGE, "serve"], env=self.environment(**variables))
        self.started.append(process)
        deadline = time.monotonic() + _LIMIT_S
        while (found := find(self.data)) is None:
            assert process.poll() is None
            assert time.monotonic() < deadline
            process_wait(process, 0.1)
        return found

    def refused(self, **variables: str) -> str:
        """Return what a start says that is refused by policy."""
        ended = subprocess.run(
            [*GARAGE, "serve"],
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
        )
        assert ended.returncode == 5, ended.stderr
        return ended.stderr


def process_wait(process: "subprocess.Popen[bytes]", seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


@pytest.fixture
def desk(jar_cache: Path, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, jar_cache)
    try:
        yield made
    finally:
        for process in made.started:
            process.send_signal(signal.SIGTERM)
            process.wait(_LIMIT_S)


@pytest.mark.campaign("C72")
def test_what_the_service_keeps_is_for_its_owner_alone(desk: Desk) -> None:
    (desk.data / "logs").mkdir(parents=True)
    desk.data.chmod(0o755)
    desk.serve()
    modes = {
        str(path.relative_to(desk.folder)): stat.S_IMODE(path.stat().st_mode)
        for path in [desk.data, *desk.data.rglob("*")]
        if not path.is_symlink()
    }
    assert modes["data"] == 0o700
    assert {"data/service.token", "data/service.json", "data/logs/service.log"} <= modes.keys()
    readable = [name for name, mode in modes.items() if mode & 0o077]
    assert [name for name in readable if name != "data/logs"] == []


@pytest.mark.campaign("C72")
def test_a_password_that_others_may_read_stops_the_start(desk: Desk) -> None:
    password = desk.folder / "password"
    password.write_text("hunter2")
    password.chmod(0o644)
    told = desk.refused(GARAGE_NEO4J__PASSWORD_FILE=str(password))
    assert f"chmod 600 {password}" in told
    desk.config.write_text('{"neo4j": {"password": "hunter2"}}')
    desk.config.chmod(0o640)
    told += desk.refused()
    assert f"chmod 600 {desk.config}" in told
    assert "hunter2" not in told


@pytest.mark.req("RUN-2")
@pytest.mark.skipif(sys.platform != "linux", reason="looks at another process's sockets")
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 - as in a container
def test_it_listens_where_the_settings_say_and_answers_to_its_own_name_alone(
    desk: Desk, address: str
) -> None:
    service = desk.serve(GARAGE_SERVICE__BIND=address)
    listening = [
        each.laddr.ip
        for each in psutil.Process(service.pid).net_connections("tcp4")
        if each.status == psutil.CONN_LISTEN
    ]
    assert listening == [address]
    for name, status in ((f"127.0.0.1:{service.port}", 200), ("garage.example.org", 421)):
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        connection.request("GET", "/healthz", headers={"Host": name})
        assert connection.getresponse().status == status
        connection.close()
