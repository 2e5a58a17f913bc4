"""Fixtures of the graph ring: an empty graph for each test, and the operations on it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.ops import backfill, ingest, sources
from api.ops.garage import Caller, Garage, Stop
from api.ops.ingest import Progress
from api.ops.settings import OpsSettings
from api.ops.sources import SourceRequest
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import schema
from graphstore.clock import SystemClock
from graphstore.outcomes import Run
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.words import WordEmbedder

OWNER = Caller("tester", "cli")


def at_once(work: Callable[[], None]) -> None:
    """Do at once what a service does beside its answer, so that a test finds it done."""
    work()


class SteppingClock:
    """A clock that goes one second further at every look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@pytest.fixture(scope="session")
def migrated(neo4j_server: Connection) -> Iterator[Graph]:
    with Graph(neo4j_server) as graph:
        schema.apply(graph, SystemClock())
        yield graph


def empty(graph: Graph) -> None:
    """Remove every node but those of the schema, and the indexes of embedding models."""
    with graph.driver.session(database=graph.database) as session:
        session.run(
            "CYPHER 25 MATCH ()-[r]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS"
        ).consume()
        session.run(
            "CYPHER 25 MATCH (n:!(SchemaVersion|SchemaLock|Predicate)) "
            "CALL (n) { DELETE n } IN TRANSACTIONS OF 10000 ROWS"
        ).consume()
        rows = session.run("SHOW VECTOR INDEXES YIELD name RETURN name").data()
        for row in rows:
            session.run(f"DROP INDEX {row['name']} IF EXISTS").consume()  # type: ignore[arg-type] - names of our own indexes


@pytest.fixture
def graph(migrated: Graph) -> Graph:
    empty(migrated)
    return migrated


@pytest.fixture(scope="session")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as shared:
        yield shared


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def garage(graph: Graph, readers: Readers, embedder: WordEmbedder) -> Garage:
    made = Garage(
        graph=graph,
        readers=readers,
        reading=ReadingSettings(),
        embedders=(embedder,),
        settings=OpsSettings(),
        clock=SteppingClock(),
        later=at_once,
    )
    backfill.register(made)
    return made


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder that is a source, and runs over it."""

    garage: Garage
    root: Path
    slug: str = "notes"

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def ingest(
        self,
        *,
        confirm: bool = False,
        accept_missing_root: bool = False,
        report: Callable[[Progress], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Run:
        run = ingest.new_run(self.garage, OWNER, self.slug, "tests")
        request = ingest.Request(run, confirm, report, stop or Stop(), accept_missing_root)
        return ingest.ingest(self.garage, OWNER, request)

    def embed(self) -> None:
        backfill.fill(self.garage, Stop())

    def with_garage(self, **changes: object) -> "Corpus":
        return replace(self, garage=replace(self.garage, **changes))  # type: ignore[arg-type] - fields by name


@pytest.fixture
def corpus(garage: Garage, tmp_path: Path) -> Corpus:
    root = tmp_path / "notes"
    root.mkdir()
    sources.add(garage, OWNER, SourceRequest("notes", str(root)))
    return Corpus(garage, root)


def add_source(garage: Garage, root: Path, slug: str, **asked: str) -> Corpus:
    """Return a further source beside the corpus, its folder made."""
    root.mkdir(exist_ok=True)
    sources.add(garage, OWNER, SourceRequest(slug, str(root), **asked))  # type: ignore[arg-type] - fields by name
    return Corpus(garage, root, slug)


def rows(graph: Graph, query: str, **parameters: object) -> list[dict[str, object]]:
    """Look into the graph, as a person with Neo4j Browser would."""
    with graph.driver.session(database=graph.database) as session:
        return session.run("CYPHER 25 " + query, parameters).data()  # type: ignore[arg-type] - text of a test
