"""The managed Neo4j, really started, stopped, killed and refused."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import LiteralString

import neo4j
import psutil
import pytest

from graphstore.errors import (
    Cancelled,
    Conflict,
    GarageError,
    InvalidInput,
    NotFound,
    Refused,
    StoreUnavailable,
)
from graphstore.server import jars, launch, ownership, probe
from graphstore.server.process import ManagedServer
from graphstore.settings import Connection, ServerSettings

SMALL = ServerSettings(heap_mb=256, pagecache_mb=32)
BOUND_S = 60

MANAGER = """
import os, sys
from pathlib import Path
from graphstore.server.process import ManagedServer
from graphstore.settings import ServerSettings
settings = ServerSettings(heap_mb=256, pagecache_mb=32)
server = ManagedServer(Path(sys.argv[1]), Path(sys.argv[2]), settings, os.environ, lambda _: None)
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


def manager(home: Path, cache: Path, settings: ServerSettings = SMALL) -> ManagedServer:
    return ManagedServer(home, cache, settings, os.environ, lambda _: None)


def ask(connection: Connection, query: LiteralString) -> object:
    auth = (connection.username, connection.password)
    with neo4j.GraphDatabase.driver(connection.uri, auth=auth, telemetry_disabled=True) as driver:
        return driver.execute_query(query, database_=connection.database).records[0].value()


def jvms(home: Path) -> list[int]:
    """The JVMs that run on a data folder."""
    sign = f"--home-dir={home.resolve()}"
    return [
        process.pid for process in psutil.process_iter(["cmdline"])
        if sign in (process.info["cmdline"] or [])
    ]  # fmt: skip


@pytest.fixture(scope="module")
def running(
    jar_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, ManagedServer, Connection]]:
    home = tmp_path_factory.mktemp("managed")
    server = manager(home, jar_cache)
    try:
        yield home, server, server.start()
    finally:
        server.stop()


@contextmanager
def managed_by_another(home: Path, cache: Path) -> Generator[tuple[subprocess.Popen[str], int]]:
    """A server that another process started; its process and the JVM's pid."""
    process = subprocess.Popen(
        [sys.executable, "-c", MANAGER, str(home), str(cache)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.req("RUN-2")
def test_a_server_stops_and_starts_again_with_its_data_and_its_password(
    jar_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    server = manager(home, jar_cache)
    assert not server.is_alive()
    try:
        first = server.start()
        assert server.start() is first
        assert jvms(home) == [server.pid]
        assert ask(first, "CREATE (n:Thing {name: 'kept'}) RETURN n.name") == "kept"
        began = time.monotonic()
        server.stop()
        stopped = time.monotonic() - began
        assert (server.is_alive(), server.pid, jvms(home)) == (False, None, [])
        second = server.start()
        assert ask(second, "MATCH (n:Thing) RETURN n.name") == "kept"
        assert second.password == first.password
    finally:
        server.stop()
    with capsys.disabled():
        print(f"\nthe managed server stopped in {stopped:.1f} s")


@pytest.mark.campaign("C72")
def test_the_password_is_for_the_owner_alone_and_on_no_command_line(
    running: tuple[Path, ManagedServer, Connection],
) -> None:
    home, server, connection = running
    private = [home, home / "password", home / "data", home / "logs", home / "owner.lock"]
    assert [path.stat().st_mode & 0o077 for path in private] == [0] * len(private)
    assert len(connection.password) >= 32
    assert connection.password not in " ".join(psutil.Process(server.pid).cmdline())
    assert connection.password not in launch.log_tail(home)
    assert connection.password not in repr(connection)


@pytest.mark.campaign("C61")
def test_a_second_manager_is_refused_with_the_owners_pid(
    jar_cache: Path, running: tuple[Path, ManagedServer, Connection]
) -> None:
    home, server, connection = running
    with pytest.raises(Conflict, match=f"process {os.getpid()}"):
        manager(home, jar_cache).start()
    assert jvms(home) == [server.pid]
    owner = ownership.read(home)
    assert owner
    assert connection.uri == f"bolt://127.0.0.1:{owner.port}"


@pytest.mark.campaign("C66")
@pytest.mark.req("PRV-3")
def test_a_query_can_load_neither_from_a_host_nor_from_a_file(
    running: tuple[Path, ManagedServer, Connection],
) -> None:
    _, _, connection = running
    for query in (
        "LOAD CSV FROM 'http://127.0.0.1:9/a.csv' AS line RETURN line",
        "LOAD CSV FROM 'file:///a.csv' AS line RETURN line",
    ):
        with pytest.raises(neo4j.exceptions.ClientError, match=r"blocked|is false"):
            ask(connection, query)


@pytest.mark.campaign("C66")
def test_the_server_listens_on_its_bolt_port_of_loopback_only(
    running: tuple[Path, ManagedServer, Connection],
) -> None:
    _, server, connection = running
    port = int(connection.uri.rpartition(":")[2])
    found = psutil.Process(server.pid).net_connections()
    open_ = {each.laddr for each in found if each.status in (psutil.CONN_LISTEN, psutil.CONN_NONE)}
    assert {(address.ip.removeprefix("::ffff:"), address.port) for address in open_} == {
        ("127.0.0.1", port)
    }


@pytest.mark.req("RUN-2")
def test_a_probe_tells_what_the_server_is(
    running: tuple[Path, ManagedServer, Connection],
) -> None:
    version = next(jar.version for jar in jars.locked("neo4j") if jar.artifact == "neo4j")
    assert probe.probe(running[2]) == probe.ServerFeatures(version, "community", True)


@pytest.mark.campaign("C34")
@pytest.mark.campaign("C37")
@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"password": "not-this-secret"}, Refused, r"refused the password of user 'neo4j'"),
        ({"password": ""}, Refused, r"wants a password, and none is set.*NEO4J_PASSWORD"),
        ({"database": "attic"}, NotFound, r"has no database 'attic'"),
        ({"uri": "http://127.0.0.1"}, InvalidInput, r"not the address of a Neo4j server"),
        ({"uri": "bolt://127.0.0.1:9"}, StoreUnavailable, r"Nothing listens at bolt://127"),
        ({"uri": "bolt://me:not-this-secret@127.0.0.1:9"}, InvalidInput, r"bolt://127.0.0.1:9 is"),
    ],
)
def test_a_probe_says_what_is_wrong_and_never_the_password(
    running: tuple[Path, ManagedServer, Connection],
    change: dict[str, str],
    kind: type[GarageError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message) as caught:
        probe.probe(replace(running[2], **change))
    assert "not-this-secret" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.req("RUN-2")
def test_settings_that_do_not_fit_the_machine_are_named_with_the_log(
    jar_cache: Path, tmp_path: Path
) -> None:
    server = manager(tmp_path / "home", jar_cache, ServerSettings(pagecache_mb=2**30))
    with pytest.raises(
        StoreUnavailable, match=r"memory settings.*neo4j\.pagecache_mb.*server\.log"
    ):
        server.start()
    assert jvms(tmp_path / "home") == []
    assert ownership.read((tmp_path / "home").resolve()) is None


@pytest.mark.campaign("C62")
@pytest.mark.req("RUN-2")
def test_a_database_that_does_not_start_is_told_with_its_cause_and_nothing_of_it_is_cut(
    jar_cache: Path, tmp_path: Path
) -> None:
    # Longer than the test may take: that nothing answers is not waited out.
    patient = replace(SMALL, start_timeout_s=3_600)
    server = manager(tmp_path / "home", jar_cache, patient)
    server.start()
    server.stop()
    (log,) = (tmp_path / "home" / "data" / "transactions" / "neo4j").glob("neostore.*.0")
    whole = log.read_bytes() + b"\x07damage" * 400
    log.write_bytes(whole)
    with pytest.raises(StoreUnavailable, match=r"end of its transaction log.*debug\.log"):
        manager(tmp_path / "home", jar_cache, patient).start()
    assert log.read_bytes() == whole
    assert jvms(tmp_path / "home") == []


@pytest.mark.campaign("C60")
def test_stopping_ends_a_start_under_way(jar_cache: Path, tmp_path: Path) -> None:
    stopper: list[threading.Thread] = []

    def stop_at_launch(text: str) -> None:
        if text == "Starting Neo4j":
            stopper.append(threading.Thread(target=server.stop))
            stopper[0].start()

    server = ManagedServer(tmp_path, jar_cache, SMALL, os.environ, stop_at_launch)
    with pytest.raises(Cancelled):
        server.start()
    stopper[0].join(BOUND_S)
    assert jvms(tmp_path) == []
    assert not server.is_alive()


def kill_manager(process: subprocess.Popen[str], jvm: int) -> None:
    """The manager alone is killed; its guard ends the JVM."""
    process.kill()
    psutil.Process(jvm).wait(BOUND_S)


def kill_manager_and_guard(process: subprocess.Popen[str], jvm: int) -> None:
    """Nobody is left to end the JVM."""
    for child in psutil.Process(process.pid).children():
        if child.pid != jvm:
            child.kill()
    process.kill()
    process.wait(BOUND_S)
    assert psutil.pid_exists(jvm)


def kill_jvm_and_manager(process: subprocess.Popen[str], jvm: int) -> None:
    """Both are killed."""
    psutil.Process(jvm).kill()
    process.kill()
    process.wait(BOUND_S)


@pytest.mark.faults
@pytest.mark.campaign("C60")
@pytest.mark.campaign("C61")
@pytest.mark.parametrize("kill", [kill_manager, kill_manager_and_guard, kill_jvm_and_manager])
def test_a_killed_manager_leaves_no_jvm_and_a_folder_that_starts(
    jar_cache: Path, tmp_path: Path, kill: Callable[[subprocess.Popen[str], int], None]
) -> None:
    home = tmp_path / "home"
    with managed_by_another(home, jar_cache) as (process, jvm):
        with pytest.raises(Conflict, match=f"process {process.pid}"):
            manager(home, jar_cache).start()
        kill(process, jvm)
    server = manager(home, jar_cache)
    try:
        connection = server.start()
        assert jvms(home) == [server.pid]
        assert server.pid != jvm
        assert ask(connection, "RETURN 1") == 1
    finally:
        server.stop()
    assert jvms(home) == []


@pytest.fixture
def untrained_cache(jar_cache: Path, tmp_path: Path) -> Path:
    """A cache with the jars that are there, and no AOT cache yet."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "jars").symlink_to(jar_cache / "jars")
    return cache


@pytest.mark.faults
@pytest.mark.req("RUN-2")
def test_a_server_that_was_trained_once_starts_from_what_it_learnt(
    untrained_cache: Path, tmp_path: Path
) -> None:
    learnt: list[object] = []
    told: list[str] = []
    server = ManagedServer(tmp_path / "home", untrained_cache, SMALL, os.environ, told.append)
    assert server.train(lambda connection: learnt.append(ask(connection, "RETURN 'exercised'")))
    assert learnt == ["exercised"]
    # A service that is ready must not be said to wait for this.
    assert told == []
    assert not server.train(lambda _: learnt.append("again"))
    assert [path.name for path in (untrained_cache / "aot").glob("training-*")] == []
    try:
        connection = server.start()
        command = psutil.Process(server.pid).cmdline()
        (made,) = (untrained_cache / "aot").glob("*.aot")
        assert f"-XX:AOTCache={made}" in command
        assert ask(connection, "RETURN 'from the cache'") == "from the cache"
    finally:
        server.stop()


@pytest.mark.faults
@pytest.mark.campaign("C60")
def test_a_stop_ends_a_training_under_way_and_leaves_nothing_of_it(
    untrained_cache: Path, tmp_path: Path
) -> None:
    server = manager(tmp_path / "home", untrained_cache)
    assert not server.train(lambda _: server.stop())
    running = [" ".join(each.info["cmdline"] or []) for each in psutil.process_iter(["cmdline"])]
    assert not [line for line in running if f"--home-dir={untrained_cache.resolve()}" in line]
    assert [path.name for path in (untrained_cache / "aot").iterdir()] == ["training.lock"]
