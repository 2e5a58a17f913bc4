"""Fixtures of the fault ring: a migrated server, and a graph emptied before each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphstore import schema
from graphstore.clock import SystemClock
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.faults import story
from tests.graph.conftest import empty


@pytest.fixture(scope="session")
def migrated(neo4j_server: Connection) -> Iterator[Graph]:
    with Graph(neo4j_server) as graph:
        schema.apply(graph, SystemClock())
        yield graph


@pytest.fixture
def graph(migrated: Graph) -> Graph:
    empty(migrated)
    return migrated


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    story.write(tmp_path)
    return tmp_path
