"""C42, C43: the server of a model fails in every way; texts are kept, found, and filled later."""

import logging
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from api.ops import backfill, ingest, search, sources, stats
from api.ops.garage import Garage, Stop
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from api.ops.search import SearchRequest
from api.ops.settings import MaintenanceSettings, OpsSettings
from api.ops.sources import SourceRequest
from api.ops.stats import ModelStats
from api.serve.worker import Worker
from extraction.providers.ollama import OllamaEmbedder, Waits
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.clock import SystemClock
from graphstore.session import Graph
from tests.faults.badmodel import OTHER_DIGEST, BadModel, Behaviour, serving
from tests.faults.canary import sightings, token
from tests.faults.garages import awaited
from tests.faults.orphans import orphans
from tests.faults.story import OWNER
from tests.graph.conftest import at_once, rows

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

_WAITS = Waits(list_s=5, query_s=0.5, passage_s=1, rest_s=0)
_LETTERS = {f"letter-{number}": token(f"letter-{number}") for number in range(4)}
_FAILING: tuple[Behaviour, ...] = (
    *("500", "429", "missing", "hang", "truncated", "endless", "redirect", "not_json"),
    *("wrong_count", "strings", "wrong_dims", "nan", "inf", "empty", "zero"),
)


@pytest.fixture
def bad() -> BadModel:
    return BadModel(retry_after="0")


@pytest.fixture
def garage(graph: Graph, bad: BadModel, tmp_path: Path) -> Iterator[Garage]:
    root = tmp_path / "letters"
    root.mkdir()
    for name, canary in _LETTERS.items():
        (root / f"{name}.md").write_text(f"# {name}\n\nAbout the weir, {canary}.", "utf-8")
    with serving(bad), Readers(ReadingSettings()) as readers:
        made = Garage(
            graph=graph,
            readers=readers,
            reading=ReadingSettings(),
            embedders=(OllamaEmbedder("ollama/gauge", bad.address, _WAITS),),
            settings=OpsSettings(maintenance=MaintenanceSettings(retry_s=0.05)),
            clock=SystemClock(),
            later=at_once,
        )
        request = SourceRequest("letters", str(root), default_class="communication")
        sources.add(made, OWNER, request)
        yield made


@contextmanager
def working(garage: Garage) -> Generator[Runs]:
    """A service's worker at work."""
    hall = Hall()
    worker = Worker(hall, 0.0, lambda: None)
    runs = Runs(replace(garage, wake_embedding=worker.wake), "tests")
    hall.open(Ready(garage, runs))
    worker.start()
    try:
        yield runs
    finally:
        runs.close()
        worker.close(30)


def model(garage: Garage) -> ModelStats:
    return stats.stats(garage).models[0]


def ingested(garage: Garage) -> None:
    run = ingest.new_run(garage, OWNER, "letters", "tests")
    assert ingest.ingest(garage, OWNER, ingest.Request(run, False, lambda _: None, Stop())).counts[
        "stored"
    ] == len(_LETTERS)


@pytest.mark.campaign("C42")
@pytest.mark.req("EMB-3")
def test_texts_are_stored_and_found_without_their_model_and_filled_once_it_is_back(
    garage: Garage, bad: BadModel, tmp_path: Path
) -> None:
    bad.over.set()
    down = replace(
        garage, embedders=(OllamaEmbedder("ollama/gauge", "http://127.0.0.1:9", _WAITS),)
    )
    backfill.register(down)
    ingested(down)
    (filled,) = backfill.fill(down, Stop())
    assert "nothing listens" in str(filled.error)
    standing = model(garage)
    assert (standing.state, standing.pending, standing.refused) == ("filling", 4, 0)
    assert "nothing listens at http://127.0.0.1:9" in str(standing.error)
    found = search.search(down, OWNER, SearchRequest("weir"))
    assert len(found.hits) == 4
    assert any("nothing listens" in each for each in found.degraded)
    bad.over.clear()
    bad.behaviour = "429"
    with working(garage):
        awaited("its busyness", lambda: "is busy" in str(model(garage).error))
        assert model(garage).pending == 4
        bad.behaviour = "well"
        awaited("the vectors", lambda: model(garage).pending == 0)
        awaited(
            "its health", lambda: (model(garage).state, model(garage).error) == ("active", None)
        )
    found = search.search(garage, OWNER, SearchRequest("weir", explain=True))
    assert found.degraded == ()
    assert "vector:ollama_gauge" in {lane.lane for hit in found.hits for lane in hit.lanes}
    assert orphans(garage.graph) == {}


@pytest.mark.campaign("C42")
@pytest.mark.campaign("C43")
@pytest.mark.req("EMB-4")
def test_whatever_a_model_answers_nothing_wrong_is_stored_and_nothing_is_given_up(
    garage: Garage, bad: BadModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    backfill.register(garage)
    ingested(garage)
    said: dict[str, str | bytes | Path] = {}
    for behaviour in _FAILING:
        bad.behaviour = behaviour
        (filled,) = backfill.fill(garage, Stop())
        standing = model(garage)
        assert filled.error, behaviour
        assert standing.error == filled.error
        assert (standing.pending, standing.refused) == (4, 0), behaviour
        found = search.search(garage, OWNER, SearchRequest("weir"))
        assert len(found.hits) == 4, behaviour
        assert any("gauge" in each for each in found.degraded), behaviour
        said[behaviour] = f"{filled.error} {found.degraded}"
    assert rows(garage.graph, "MATCH (c:Chunk) WHERE c.vec_ollama_gauge IS NOT NULL RETURN c") == []
    assert sightings(_LETTERS.values(), {**said, "the log": caplog.text}) == []
    # The server is on this machine: that is where the texts went.
    assert len(sightings(_LETTERS.values(), {"sent": bytes(bad.sent)})) > 0
    bad.behaviour = "well"
    (filled,) = backfill.fill(garage, Stop())
    assert (filled.embedded, filled.error, model(garage).state) == (4, None, "active")


@pytest.mark.campaign("C43")
@pytest.mark.req("EMB-4")
@pytest.mark.parametrize("behaviour", ["wrong_dims", "inf", "zero", "empty"])
def test_a_wrong_vector_of_one_text_is_kept_with_it_and_not_asked_for_again(
    garage: Garage, bad: BadModel, behaviour: Behaviour
) -> None:
    backfill.register(garage)
    ingested(garage)
    bad.behaviour, bad.only = behaviour, _LETTERS["letter-2"]
    (filled,) = backfill.fill(garage, Stop())
    assert (filled.embedded, filled.refused, filled.error) == (3, 1, None)
    asked = len(bad.asked)
    assert backfill.fill(garage, Stop())[0].refused == 0
    assert len(bad.asked) == asked
    reasons = rows(
        garage.graph,
        "MATCH (c:Chunk) WHERE c.embed_error_ollama_gauge IS NOT NULL "
        "RETURN c.embed_error_ollama_gauge AS why",
    )
    assert len(reasons) == 1
    assert sightings(_LETTERS.values(), {"the reason": str(reasons)}) == []
    assert (model(garage).state, model(garage).refused, model(garage).pending) == ("active", 1, 0)


@pytest.mark.campaign("C44", part=True)
@pytest.mark.req("EMB-1")
def test_a_model_that_is_replaced_while_it_is_asked_is_not_mixed(
    garage: Garage, bad: BadModel
) -> None:
    backfill.register(garage)
    ingested(garage)
    asked = threading.Event()

    class Replacing(OllamaEmbedder):
        def embed_passages(self, texts):
            vectors = super().embed_passages(texts)
            bad.digest = OTHER_DIGEST
            asked.set()
            return vectors

    other = replace(garage, embedders=(Replacing("ollama/gauge", bad.address, _WAITS),))
    (filled,) = backfill.fill(other, Stop())
    assert asked.is_set()
    assert "another model than the one registered" in str(filled.error)
    assert (filled.embedded, model(garage).pending) == (0, 4)
    found = search.search(other, OWNER, SearchRequest("weir"))
    assert any("another model" in each for each in found.degraded)
