"""The head start of Neo4j: its JVM is on its way before the service has imported the rest."""

import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from api.settings import Loaded
from graphstore.server import jars
from graphstore.server.process import ManagedServer
from graphstore.settings import Connection

_LAUNCH_S: Final = 1.0
_POLL_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Serving:
    """How a service is to run."""

    loaded: Loaded
    environment: dict[str, str]
    is_background: bool
    """Started by a client that needed it: it stops when idle."""


@dataclass(frozen=True, slots=True)
class HeadStart:
    """A Neo4j that starts."""

    server: ManagedServer
    connection: Future[Connection]
    """How to reach it once it answers, or why it does not start."""


@contextmanager
def begun(serving: Serving) -> Generator[HeadStart | None]:
    """Have Neo4j start, and end it at the end of the block.

    None where there is none to start, or something to fetch first, which a person wants to follow.
    """
    loaded = serving.loaded
    if loaded.settings.neo4j.uri or not jars.is_fetched("neo4j", loaded.cache_folder):
        yield None
        return
    server = server_of(loaded, serving.environment, lambda _: None)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="head-start") as pool:
        connection = pool.submit(server.start)
        _wait_for_launch(server, connection)
        try:
            yield HeadStart(server, connection)
        finally:
            server.stop()


def server_of(
    loaded: Loaded, environment: Mapping[str, str], report: Callable[[str], None]
) -> ManagedServer:
    """Return the Neo4j of a data folder, not started."""
    home = loaded.data_folder / "neo4j"
    return ManagedServer(home, loaded.cache_folder, loaded.settings.neo4j, environment, report)


def _wait_for_launch(server: ManagedServer, connection: Future[Connection]) -> None:
    """Wait until there is a JVM: imports would slow down the thread that launches it."""
    deadline = time.monotonic() + _LAUNCH_S
    while not (server.is_alive() or connection.done() or time.monotonic() > deadline):
        time.sleep(_POLL_S)
