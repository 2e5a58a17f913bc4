"""Fixtures that several rings share."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from graphstore.server import jars
from graphstore.server.process import ManagedServer
from graphstore.settings import Connection, ServerSettings


def pytest_configure() -> None:
    """Have what the tests start hear Ctrl-C: jobs in the background of a shell are deaf to it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def jar_cache() -> Path:
    """The user's own cache of jars, complete."""
    cache = Path(platformdirs.user_cache_dir("garage"))
    missing = [part for part in jars.TITLES if not jars.is_fetched(part, cache)]
    # In a process of its own: a test has no network, the set-up before the first one may.
    fetch = "import os, sys; from pathlib import Path; from graphstore.server import jars\n"
    fetch += "jars.fetch(sys.argv[1], Path(sys.argv[2]), None, print, os.environ)"
    for part in missing:
        subprocess.run([sys.executable, "-c", fetch, part, str(cache)], check=True)
    return cache


@pytest.fixture(scope="session")
def neo4j_server(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A Neo4j of this test run, started when the first test asks for it."""
    home = tmp_path_factory.mktemp("neo4j")
    server = ManagedServer(home, jar_cache, ServerSettings(), os.environ, lambda _: None)
    try:
        yield server.start()
    finally:
        server.stop()
