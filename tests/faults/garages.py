"""A garage as its owner has it: a data folder, the commands, and a look into its Neo4j."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

from api.cli import stored
from api.client import Client, Place, find, health
from api.client.service import Service
from graphstore.server import ownership
from graphstore.session import Graph
from graphstore.settings import Connection

ROOT = Path(__file__).parents[2]
T = TypeVar("T")

_SETTINGS = {
    "GARAGE_NEO4J__HEAP_MB": "256",
    "GARAGE_NEO4J__PAGECACHE_MB": "32",
    "GARAGE_MAINTENANCE__INTERVAL_MINUTES": "0",
    "GARAGE_MAINTENANCE__EMBED_BATCH": "8",
    "GARAGE_INGEST__CHUNKS_PER_TRANSACTION": "5",
}


def awaited(what: str, look: Callable[[], T | None], bound_s: float = 120) -> T:
    """Return what `look` finds, once it finds something; fail when it does not in time."""
    deadline = time.monotonic() + bound_s
    while (found := look()) is None or found is False:
        assert time.monotonic() < deadline, f"{what}: not within {bound_s:g} s"
        time.sleep(0.02)
    return found


@dataclass(frozen=True)
class OwnGarage:
    """One data folder."""

    data: Path
    cache: Path
    extra: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further variables of its environment."""
    begun: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])
    """Every command that was begun."""

    @property
    def environment(self) -> dict[str, str]:
        # Whatever the person who runs the tests has set is not this garage's.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GARAGE", "NEO4J"))}
        folders = {
            "GARAGE_DATA": str(self.data),
            "GARAGE_CACHE": str(self.cache),
            "GARAGE_CONFIG": str(self.data.with_name("garage.json")),
        }
        return inherited | folders | _SETTINGS | dict(self.extra)

    def begin(self, *arguments: str, takes_input: bool = False) -> subprocess.Popen[str]:
        """Begin a command of the owner."""
        config = Path(self.environment["GARAGE_CONFIG"])
        if not config.exists():
            config.write_text("{}", encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "api.cli", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE if takes_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.begun.append(process)
        return process

    def do(self, *arguments: str) -> str:
        """Do a command and return what it printed; it must succeed."""
        code, out, error = ended(self.begin(*arguments))
        assert code == 0, (arguments, code, out, error)
        return out

    def service(self) -> Service | None:
        return find(self.data)

    def ready(self) -> Service | None:
        service = find(self.data)
        standing = health(service) if service else None
        return service if standing and standing.state == "ready" else None

    def run(self, operation: str, **variables: Any) -> Any:
        """Run a stored operation as the command line does."""
        client = Client(Place(self.data, self.environment))
        (value,) = client.run(stored.operation(operation), variables).values()
        return value

    def follow(self, run: str) -> Iterator[dict[str, Any]]:
        """Yield what the service tells of a run."""
        client = Client(Place(self.data, self.environment))
        for data in client.follow(stored.operation("ingest_progress"), {"run": run}):
            yield from data.values()

    def jvms(self) -> list[int]:
        """Return the JVMs that run on this folder."""
        sign = f"--home-dir={(self.data / 'neo4j').resolve()}"
        return [
            process.pid
            for process in psutil.process_iter(["cmdline"])
            if sign in (process.info["cmdline"] or [])
        ]

    @contextmanager
    def look(self) -> Generator[Graph]:
        """Open the graph behind the service's back."""
        home = self.data / "neo4j"
        owner = ownership.read(home)
        assert owner
        password = (home / "password").read_text("ascii").strip()
        with Graph(Connection(f"bolt://127.0.0.1:{owner.port}", "neo4j", password)) as graph:
            yield graph

    def processes(self) -> list[psutil.Process]:
        """Return the commands and services of this garage that run, by the folder they were given.

        One that has ended and only awaits its reaping does not run.
        """
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                if (
                    process.environ().get("GARAGE_DATA") == str(self.data)
                    and process.status() != psutil.STATUS_ZOMBIE
                ):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def serve(self, bound_s: float = 300) -> subprocess.Popen[str]:
        """Run the service in the foreground of this process, and return it once it is ready."""
        process = self.begin("serve")
        awaited("the service", self.ready, bound_s)
        return process

    def end(self) -> None:
        """Stop the service, whatever state a test left it in, and see that nothing is left."""
        ended(self.begin("stop"))
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        for pid in self.jvms():
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
        for command in self.begun:
            with command:
                command.kill()


def ended(process: subprocess.Popen[str], bound_s: float = 240) -> tuple[int, str, str]:
    """Return exit code, output and errors of a command, once it has ended."""
    try:
        out, error = process.communicate(timeout=bound_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        message = f"a command did not end in {bound_s:g} s: {out} {error}"
        raise AssertionError(message) from None
    return process.returncode, out, error
