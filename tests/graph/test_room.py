"""A disk without room: writes are refused before they are tried, reads go on, nothing is lost."""

from collections.abc import Iterator

import pytest

from api.ops import search
from api.ops.runs import Runs
from api.ops.search import SearchRequest
from api.ops.settings import IngestSettings, OpsSettings
from graphstore import health
from graphstore.clock import new_uid
from graphstore.errors import OutOfSpace
from graphstore.outcomes import Run
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import OWNER, Corpus


class FillingDisk:
    """Lets so many writes through, and none after them."""

    def __init__(self) -> None:
        self.writes_left = 10_000

    def require(self) -> None:
        self.writes_left -= 1
        if self.writes_left < 0:
            message = "The disk is nearly full: 7 MiB are free."
            raise OutOfSpace(message, hint="Free some space.")


@pytest.fixture
def filling() -> FillingDisk:
    return FillingDisk()


@pytest.fixture
def cramped(graph: Graph, neo4j_server: Connection, filling: FillingDisk) -> Iterator[Graph]:
    assert graph
    with Graph(neo4j_server) as made:
        made.guard_writes(filling.require)
        yield made


@pytest.mark.campaign("C62")
def test_every_kind_of_write_is_refused_without_room_and_reads_go_on(
    cramped: Graph, filling: FillingDisk
) -> None:
    before = cramped.read("graph/counts")
    filling.writes_left = 0
    with pytest.raises(OutOfSpace):
        health.try_write(cramped, new_uid())
    with pytest.raises(OutOfSpace):
        cramped.schema("CYPHER 25 CREATE INDEX never IF NOT EXISTS FOR (n:Never) ON (n.x)")
    with pytest.raises(OutOfSpace), cramped.locked("schema/lock", at_most_s=1):
        pass
    assert cramped.read("graph/counts") == before
    assert not cramped.is_broken


@pytest.mark.campaign("C62")
@pytest.mark.req("SRC-8")
def test_an_ingest_on_a_disk_that_fills_says_what_it_stored_and_the_next_one_goes_on(
    corpus: Corpus, cramped: Graph, filling: FillingDisk
) -> None:
    for number in range(40):
        corpus.write(f"gauge-{number}.md", f"# Gauge {number}\n\nThe weir was open.\n" * 40)
    small = OpsSettings(ingest=IngestSettings(chunks_per_transaction=20))
    short = corpus.with_garage(graph=cramped, settings=small)
    runs = Runs(short.garage, "tests")
    # The run itself, and one transaction of documents.
    filling.writes_left = 2
    run = runs.start(OWNER, "notes")
    last = [event for event in runs.follow(run.uid) if isinstance(event, Run)][-1]
    assert last.state == "failed"
    assert "7 MiB are free" in last.message
    stored = cramped.read("graph/counts")[0]["documents"]
    assert 0 < stored < 40
    assert last.counts["documents"] == stored
    assert search.search(short.garage, OWNER, SearchRequest("the weir")).hits
    filling.writes_left = 10_000
    # Of the end of the run the graph hears when it can.
    runs.settle()
    assert cramped.read("runs/get", uid=run.uid)[0]["run"]["state"] == "failed"
    assert short.ingest().state == "done"
    assert cramped.read("graph/counts")[0]["documents"] == 40
