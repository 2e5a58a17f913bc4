"""C66: in a network where everything but loopback is counted, nothing is sent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.garages import ROOT

pytestmark = [
    pytest.mark.faults,
    pytest.mark.campaign("C66", part=True),
    pytest.mark.timeout(1_900),
]

_DATAGRAM = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    out.sendto(b"seen", ("198.51.100.7", 9))
"""
_CHATTY = """
import os, sys, threading, time
from pathlib import Path
import neo4j
from graphstore.server import conf
from graphstore.server.process import ManagedServer
from graphstore.settings import ServerSettings
from tests.faults.namespace import packets

# What the settings forbid is allowed here: the counter must see what this JVM sends.
del conf._FIXED["internal.dbms.cypher_ip_blocklist"]
server = ManagedServer(
    Path(sys.argv[1]), Path(sys.argv[2]), ServerSettings(heap_mb=256), os.environ, lambda _: None
)
there = server.start()
driver = neo4j.GraphDatabase.driver(there.uri, auth=(there.username, there.password))

def load():
    try:
        driver.execute_query("LOAD CSV FROM 'http://198.51.100.7:9/x.csv' AS row RETURN row")
    except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError):
        pass

threading.Thread(target=load, daemon=True).start()
deadline = time.monotonic() + 60
while packets() == 0 and time.monotonic() < deadline:
    time.sleep(0.1)
server.stop()
os._exit(0)
"""


def alone(*command: str, **environment: str) -> tuple[dict[str, Any], str]:
    """Run a command in a network of its own; return what came of it, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.namespace", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=1_800,
    )
    said, _, last = done.stdout.strip().rpartition("\n")
    assert done.returncode == 0, done.stdout[-2_000:]
    return json.loads(last), said[-6_000:]


@pytest.fixture(scope="module", autouse=True)
def _may_be_alone() -> None:
    probe = subprocess.run(
        [sys.executable, "-m", "tests.faults.namespace", "true"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode:
        why = probe.stderr.strip().rpartition("\n")[2]
        pytest.skip(f"C66 NOT RUN: a network of its own needs root and `ip` ({why})")


@pytest.fixture
def own_cache(jar_cache: Path, tmp_path: Path) -> Path:
    """A cache folder with everything fetched, and no demo of an earlier run in it."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for fetched in jar_cache.iterdir():
        if fetched.name != "demo":
            (cache / fetched.name).symlink_to(fetched)
    return cache


def test_a_single_datagram_is_counted() -> None:
    told, _ = alone(sys.executable, "-c", _DATAGRAM)
    assert told == {"code": 0, "packets": 1, "to": {"udp 198.51.100.7:9": 1}}


def test_what_an_unguarded_neo4j_sends_is_counted(jar_cache: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    told, said = alone(sys.executable, "-c", _CHATTY, home, str(jar_cache))
    assert told["code"] == 0, said
    assert told["packets"] > 0
    assert set(told["to"]) == {"tcp 198.51.100.7:9"}


@pytest.mark.req("PRV-3", part=True)
def test_the_demo_from_files_to_answers_sends_nothing(own_cache: Path, tmp_path: Path) -> None:
    told, said = alone(
        sys.executable,
        "-m",
        "api.cli",
        "demo",
        GARAGE_CACHE=str(own_cache),
        GARAGE_DATA=str(tmp_path / "data"),
    )
    assert told["code"] == 0, said
    assert told["to"] == {}
    assert told["packets"] == 0


@pytest.mark.parametrize("ring", ["graph", "interaction"])
def test_a_ring_of_tests_sends_nothing(ring: str, tmp_path: Path) -> None:
    told, said = alone(
        sys.executable,
        "-m",
        "pytest",
        f"tests/{ring}",
        "-m",
        "not faults and not quality and not bench and not fuzz",
        f"--basetemp={tmp_path / 'inner'}",
        "-p",
        "no:cacheprovider",
    )
    assert (told["code"], told["packets"], told["to"]) == (0, 0, {}), said
