"""C39: Neo4j is frozen in the middle of anything; everybody is told, and it heals by itself."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from api.ops import backfill, search
from api.ops.garage import Stop
from api.ops.search import SearchRequest
from extraction.providers.base import Vector
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.errors import StoreUnavailable
from graphstore.session import Graph
from graphstore.settings import Connection
from graphstore.watch import Patience
from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.freezing import Freezer, freezer, server_of
from tests.faults.garages import OwnGarage, awaited, ended
from tests.faults.killing import Kill, KillingGraph, lost
from tests.faults.orphans import orphans, torn
from tests.faults.story import OWNER, Telling
from tests.graph.conftest import empty
from tests.words import WordEmbedder

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

_IMPATIENT = Patience(quiet_s=0.5, sign_s=4, open_s=4, retry_s=4)
BOUND_S = 120.0


def told_so(work: Callable[[], object]) -> StoreUnavailable:
    """Return the error of a work that must end, though Neo4j does not answer."""
    errors: list[StoreUnavailable] = []

    def run() -> None:
        try:
            work()
        except StoreUnavailable as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(BOUND_S)
    assert not thread.is_alive(), "it waits for ever"
    (error,) = errors
    return error


class FreezingEmbedder(WordEmbedder):
    """Freezes Neo4j when it is asked for a vector."""

    def __init__(self, ice: Freezer) -> None:
        super().__init__()
        self._ice = ice

    def _embed(self, text: str) -> Vector:
        vector = super()._embed(text)
        self._ice.freeze()
        return vector


@pytest.fixture
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as opened:
        yield opened


@pytest.mark.campaign("C39")
@pytest.mark.req("SRC-8")
def test_neo4j_frozen_in_an_ingest_ends_the_run_and_loses_nothing(
    graph: Graph, neo4j_server: Connection, folder: Path, readers: Readers
) -> None:
    story.turn_to(folder, 1)
    story.tell(Telling(graph, readers, folder))
    expected = lines(graph)
    for kill in (Kill("begin", 9), Kill("commit", 8)):
        empty(graph)
        history = folder / "history"
        history.write_text("")
        with freezer(server_of(neo4j_server)) as ice:
            with KillingGraph(neo4j_server, kill, history, ice.freeze, _IMPATIENT) as slow:
                error = told_so(lambda slow=slow: story.tell(Telling(slow, readers, folder)))
            assert ice.was_frozen
            assert "no sign of life" in error.message
        assert lost(graph, history) == "", kill
        assert torn(graph) == {}, kill
        runs = story.tell(Telling(graph, readers, folder))
        assert [run.state for run in runs] == ["done", "done"]
        assert differences(expected, lines(graph)) == "", kill
        assert orphans(graph) == {}, kill


@pytest.mark.campaign("C39")
def test_neo4j_frozen_in_a_search_or_a_backfill_is_told_and_both_work_again(
    graph: Graph, neo4j_server: Connection, folder: Path, readers: Readers
) -> None:
    story.turn_to(folder, 1)
    story.tell(Telling(graph, readers, folder))
    with (
        freezer(server_of(neo4j_server)) as ice,
        Graph(neo4j_server, _IMPATIENT) as impatient,
    ):
        sound = story.garage_of(Telling(impatient, readers, folder))
        freezing = replace(sound, embedders=(FreezingEmbedder(ice),))
        request = SearchRequest("the old weir")
        error = told_so(lambda: search.search(freezing, OWNER, request))
        assert "no sign of life" in error.message
        ice.thaw()
        awaited("an answer", lambda: _hits(sound, request))
        with graph.driver.session() as session:
            session.run("MATCH (c:Chunk) SET c:Unembedded REMOVE c.vec_words").consume()
        waiting = graph.read("graph/counts")[0]["pending"]
        error = told_so(lambda: backfill.fill(freezing, Stop()))
        assert "no sign of life" in error.message
        ice.thaw()
        awaited("Neo4j", lambda: _hits(sound, request))
        assert 0 < graph.read("graph/counts")[0]["pending"] <= waiting
        assert backfill.fill(sound, Stop())[0].error is None
        assert graph.read("graph/counts")[0]["pending"] == 0


def _hits(garage: object, request: SearchRequest) -> bool:
    try:
        return bool(search.search(garage, OWNER, request).hits)  # type: ignore[arg-type] - a Garage
    except StoreUnavailable:
        return False


@pytest.mark.campaign("C39")
@pytest.mark.req("SRC-8")
def test_a_service_whose_neo4j_is_frozen_says_so_and_heals(jar_cache: Path, folder: Path) -> None:
    story.turn_to(folder, 1)
    for number in range(300):
        note = folder / "now" / "notes" / f"gauge-{number}.md"
        note.write_text(f"At gauge {number} the weir was open.", encoding="utf-8")
    own = OwnGarage(folder / "data", jar_cache)
    try:
        own.do("add-source", "notes", str(folder / "now" / "notes"))
        service = own.service()
        assert service
        (jvm,) = own.jvms()
        with freezer(psutil.Process(jvm)) as ice:
            run = own.run("ingest", slug="notes", confirm=False)["run"]["uid"]
            events = own.follow(run)
            next(events)
            ice.freeze()
            code, out, error = ended(own.begin("search", "the weir"), BOUND_S)
            assert code != 0, out
            assert "Neo4j at bolt://127.0.0.1" in error or "no answer within" in error
            assert own.ready() == service
            last = [event for event in events if event["__typename"] != "Progress"]
            assert (last[-1]["state"], own.jvms()) == ("failed", [jvm])
        # Of the end of the run the graph hears when it can.
        awaited("the end of the run", lambda: _state(own, run) == "failed")
        own.do("ingest", "notes")
        assert "weir" in own.do("search", "the weir")
        assert own.service() == service
    finally:
        own.end()


def _state(own: OwnGarage, run: str) -> str:
    with own.look() as graph:
        return str(graph.read("runs/get", uid=run)[0]["run"]["state"])
