"""How long a person waits: for help, for a search, for everything to come up."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest

from graphstore.clock import SystemClock
from graphstore.exercise import run as exercise
from graphstore.server.process import ManagedServer
from graphstore.settings import ServerSettings

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

REPOSITORY = Path(__file__).parent.parent.parent
GARAGE = str(Path(sys.executable).with_name("garage"))
FIGURES = {"--help": 0.25, "search, service up": 0.6, "search, nothing running": 9.0}
"""Seconds at most."""
NEO4J = {"ready": 4.5, "stopped": 3.0}
"""Seconds at most, with an AOT cache and in a folder that is there."""


@pytest.fixture
def home(jar_cache: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "GARAGE_DATA": str(tmp_path / "data"),
        "GARAGE_CACHE": str(jar_cache),
    }
    yield environment
    garage(environment, "stop")


def garage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [GARAGE, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def timed(work: Callable[[], object], times: int) -> float:
    """Return the median of several runs, in seconds."""
    taken: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return median(taken)


def test_nobody_waits_long(
    home: dict[str, str], jar_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # What the service does at its first idle moment.
    other = tmp_path / "trained"
    ManagedServer(other, jar_cache, ServerSettings(), os.environ, lambda _: None).train(
        lambda connection: exercise(connection, SystemClock())
    )
    garage(home, "add-source", "notes", str(REPOSITORY / "examples" / "notes"))
    garage(home, "ingest", "notes")
    search = ("search", "deposit for the flat", "--limit", "3")
    garage(home, *search)
    figures = {
        "python -c pass": timed(lambda: subprocess.run([sys.executable, "-c", "pass"]), 5),
        "--help": timed(lambda: garage(home, "--help"), 5),
        "search, service up": timed(lambda: garage(home, *search), 5),
    }
    cold: list[float] = []
    for _ in range(3):
        garage(home, "stop")
        cold.append(timed(lambda: garage(home, *search), 1))
    figures["search, nothing running"] = median(cold)
    with capsys.disabled():
        print()
        for name, seconds in figures.items():
            print(f"  {name:26} {seconds:6.2f} s  (at most {FIGURES.get(name, '-')})")
    assert {n: s for n, s in figures.items() if s > FIGURES.get(n, s)} == {}


def test_neo4j_is_there_soon_and_gone_soon(
    jar_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = ManagedServer(
        tmp_path / "home", jar_cache, ServerSettings(), os.environ, lambda _: None
    )
    server.train(lambda connection: exercise(connection, SystemClock()))
    server.start()  # an empty folder takes longer, once
    server.stop()
    spent: dict[str, list[float]] = {"ready": [], "stopped": []}
    for _ in range(5):
        spent["ready"].append(timed(server.start, 1))
        spent["stopped"].append(timed(server.stop, 1))
    figures = {name: median(seconds) for name, seconds in spent.items()}
    with capsys.disabled():
        for name, seconds in figures.items():
            print(f"\n  Neo4j with its AOT cache, {name}: {seconds:.2f} s (at most {NEO4J[name]})")
    assert {name: s for name, s in figures.items() if s > NEO4J[name]} == {}
