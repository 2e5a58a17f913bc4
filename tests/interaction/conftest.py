"""Fixtures of the interaction ring: the whole application, under uvicorn, on loopback."""

import os
import shutil
import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright

from api.ops import backfill, ingest, sources
from api.ops.garage import Caller, Garage, Stop
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from api.ops.settings import OpsSettings
from api.ops.sources import SourceRequest
from api.serve.app import Parts, build_app
from api.serve.assets import Assets
from api.serve.mcp_door import Writes
from api.serve.tokens import Auth, Tokens
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import schema
from graphstore.clock import SystemClock
from graphstore.errors import Unavailable
from graphstore.server import jars
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import at_once, empty
from tests.interaction.chromium import LIMIT_MS, NAMES
from tests.words import WordEmbedder

OWNER = Caller("tester", "cli")


@dataclass(frozen=True)
class Service:
    """A running application, and what is needed to speak with it."""

    port: int
    hall: Hall
    auth: Auth
    tokens: Tokens
    secret: str
    """Of the token `reader`."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def bearer(self, secret: str = "") -> dict[str, str]:
        return {"Authorization": f"Bearer {secret or self.secret}"}

    def client(self, secret: str = "") -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self.bearer(secret), timeout=60)

    def post(
        self, query: str, variables: dict[str, Any] | None = None, secret: str = ""
    ) -> dict[str, Any]:
        with self.client(secret) as client:
            body = {"query": query, "variables": variables or {}}
            return client.post("/graphql", json=body).json()

    def data(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.post(query, variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]


@contextmanager
def running(hall: Hall, folder: Path, web: Path, writes: Writes = "stdio") -> Generator[Service]:
    """Run the application on a port of its own until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    tokens = Tokens(folder)
    secret = tokens.add("reader", may_write=True)
    auth = Auth(tokens, port)
    hosts = tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
    app = build_app(Parts(hall, auth, hosts, writes, Assets(web), "0.test"))
    config = uvicorn.Config(app, log_config=None, lifespan="on", ws="websockets-sansio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Service(port, hall, auth, tokens, secret)
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def web(jar_cache: Path) -> Path:
    return jars.folder("web", jar_cache)


@pytest.fixture(scope="module")
def closed(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that could not open: what a person meets when Neo4j is not there."""
    hall = Hall()
    hall.fail(Unavailable("Neo4j does not answer.", hint="Start it."))
    with running(hall, tmp_path_factory.mktemp("closed"), web) as service:
        yield service


@pytest.fixture(scope="session")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as shared:
        yield shared


@pytest.fixture(scope="module")
def garage(neo4j_server: Connection, readers: Readers) -> Iterator[Garage]:
    with Graph(neo4j_server) as graph:
        schema.apply(graph, SystemClock())
        empty(graph)
        made = Garage(
            graph=graph,
            readers=readers,
            reading=ReadingSettings(),
            embedders=(WordEmbedder(),),
            settings=OpsSettings(),
            clock=SystemClock(),
            later=at_once,
        )
        backfill.register(made)
        yield made


NOTES = {
    "river.md": "---\nauthor: Ada Example\n---\n# River\n\nThe gauge at the river bridge rose.\n",
    "garden.md": "# Garden\n\nTomatoes like the southern wall of the garden.\n",
    "html/page.html": "<html><title>Page</title><body><p>A river on a page.</p></body></html>",
}


@pytest.fixture(scope="module")
def corpus(garage: Garage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is the source `notes`, stored and embedded."""
    root = tmp_path_factory.mktemp("notes")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    sources.add(garage, OWNER, SourceRequest("notes", str(root)))
    run = ingest.new_run(garage, OWNER, "notes", "tests")
    ingest.ingest(garage, OWNER, ingest.Request(run, False, lambda _: None, Stop()))
    backfill.fill(garage, Stop())
    return root


@pytest.fixture(scope="module")
def service(
    garage: Garage, corpus: Path, web: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service that is ready, over a small corpus."""
    hall = Hall()
    runs = Runs(garage, "tests")
    hall.open(Ready(garage, runs))
    try:
        with running(hall, tmp_path_factory.mktemp("data"), web) as running_service:
            yield running_service
    finally:
        runs.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium; where there is none the tests are skipped, and say so."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"No browser: none of {', '.join(NAMES)} is on PATH. Install chromium.")
    with sync_playwright() as playwright:
        # By itself it looks for updates and an account of its maker's: no name is known to it.
        arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        if os.geteuid() == 0:  # its sandbox refuses to run as root
            arguments.append("--no-sandbox")
        browser = playwright.chromium.launch(
            executable_path=found, args=arguments, timeout=LIMIT_MS
        )
        yield browser
        browser.close()
