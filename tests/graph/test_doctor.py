"""Doctor: every part has a state and what mends it; what an index lacks costs its lane alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from api.ops import doctor, search, stats
from api.ops.doctor import Check
from api.ops.search import SearchRequest, SearchResult
from graphstore import embedding_models, health, queries, schema
from graphstore.clock import new_uid
from tests.graph.conftest import OWNER, Corpus, rows

MANY = 4_000


def by_part(corpus: Corpus) -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for check in doctor.checks(corpus.garage):
        found.setdefault(check.part, []).append(check)
    return found


def ask(corpus: Corpus, query: str) -> SearchResult:
    return search.search(corpus.garage, OWNER, SearchRequest(query, explain=True))


def drop(corpus: Corpus, index: str) -> None:
    for statement in queries.statements("templates/drop_index", index=index):
        corpus.garage.graph.schema(statement)


@pytest.fixture
def filled(corpus: Corpus) -> Corpus:
    for number, subject in enumerate(("rivers", "boilers", "violins")):
        corpus.write(f"{number}.md", f"A note about {subject} and nothing else.")
    corpus.ingest()
    corpus.embed()
    return corpus


@pytest.fixture(autouse=True)
def whole_again(corpus: Corpus) -> object:
    """Leave the indexes of the shared server as they were."""
    yield
    health.repair(corpus.garage.graph)
    schema.await_indexes(corpus.garage.graph)


@pytest.mark.req("RUN-4")
def test_every_part_of_a_healthy_service_is_tried_and_found_well(filled: Corpus) -> None:
    found = by_part(filled)
    assert list(found) == [
        *("neo4j", "writes", "indexes", "graph", "models", "sources", "queue", "search"),
    ]
    assert {check.state for checks in found.values() for check in checks} == {"ok"}
    assert "vector search" in found["neo4j"][0].detail
    assert len(found["search"]) == 2
    assert not rows(filled.garage.graph, "MATCH (n:DoctorTrial) RETURN n.uid AS uid")


@pytest.mark.req("RUN-4")
def test_what_is_wrong_is_named_with_what_mends_it(filled: Corpus) -> None:
    (filled.root / "0.md").unlink()
    rows(filled.garage.graph, "MATCH (c:Chunk) WITH c LIMIT 1 DETACH DELETE c")
    filled.root.rename(filled.root.with_name("elsewhere"))
    found = by_part(filled)
    torn = found["graph"]
    assert {check.state for check in torn} == {"warning"}
    assert {check.next_step for check in torn} == {"garage ingest"}
    (source,) = found["sources"]
    assert source.state == "warning"
    assert "garage remove-source notes" in source.next_step


@pytest.mark.req("RUN-4")
def test_a_model_that_gives_another_width_is_found(filled: Corpus) -> None:
    (embedder,) = filled.garage.embedders
    filled.garage.graph.write(
        lambda tx: tx.run("models/set_state", slug=embedder.slug, state="active", error=None)
    )
    rows(filled.garage.graph, "MATCH (m:EmbeddingModel) SET m.dimensions = 3")
    (model,) = by_part(filled)["models"]
    assert model.state == "failed"
    assert "3" in model.detail


@pytest.mark.campaign("C41")
@pytest.mark.req("RUN-4")
def test_a_missing_vector_index_costs_its_lane_and_is_made_anew(filled: Corpus) -> None:
    (model,) = embedding_models.listed(filled.garage.graph)
    drop(filled, model.chunk_index)
    result = ask(filled, "violins")
    assert "violins" in result.hits[0].text
    assert {lane.lane for lane in result.hits[0].lanes} == {"fulltext", "recency"}
    assert any("garage doctor" in each or "index" in each for each in result.degraded)
    (missing,) = by_part(filled)["indexes"]
    assert (missing.state, missing.next_step) == ("failed", "garage doctor --fix")
    assert model.chunk_index in missing.detail
    assert doctor.repair(filled.garage, OWNER) == (model.chunk_index,)
    (logged,) = stats.log(filled.garage, verb="repair")
    assert logged.targets == (f"index:{model.chunk_index}",)
    schema.await_indexes(filled.garage.graph)
    assert ask(filled, "violins").degraded == ()
    assert by_part(filled)["indexes"][0].state == "ok"


@pytest.mark.campaign("C41")
def test_a_missing_text_index_costs_its_lane_and_is_made_anew(filled: Corpus) -> None:
    drop(filled, "ft_chunk")
    result = ask(filled, "violins")
    assert "violins" in result.hits[0].text
    assert "fulltext" not in {lane.lane for lane in result.hits[0].lanes}
    assert any(each.startswith("fulltext") for each in result.degraded)
    assert doctor.repair(filled.garage, OWNER) == ("ft_chunk",)
    schema.await_indexes(filled.garage.graph)
    assert ask(filled, "violins").degraded == ()


@pytest.mark.campaign("C41")
def test_an_index_that_fills_is_told_and_waited_for_by_nobody(filled: Corpus) -> None:
    graph = filled.garage.graph
    (model,) = embedding_models.listed(graph)
    drop(filled, model.chunk_index)
    # Vectors in one index only: the chunks are no documents' and are found by no search.
    query = (
        "UNWIND range(1, $many) AS i CREATE (c:Chunk {uid: $prefix + i, class: 'document', "
        "trust: 'authored', source: 'none'}) "
        "SET c.vec_words = [x IN range(1, $width) | rand()]"
    )
    rows(graph, query, many=MANY, prefix=new_uid(), width=model.dimensions)
    embedding_models.create_index(graph, model)
    states = {"POPULATING": "warning", "ONLINE": "ok"}
    before = {index.name: index.state for index in health.indexes(graph)}[model.chunk_index]
    graph.look_at_indexes()
    result = ask(filled, "violins")
    assert "violins" in result.hits[0].text
    after = {index.name: index.state for index in health.indexes(graph)}[model.chunk_index]
    assert {before, after} <= set(states)
    if before == after == "POPULATING":
        assert any(model.chunk_index in each for each in result.degraded)
    schema.await_indexes(graph)
    assert ask(filled, "violins").degraded == ()


@pytest.mark.req("RUN-4")
def test_a_part_that_cannot_be_looked_at_is_a_failed_check(filled: Corpus) -> None:
    dead = replace(filled.garage, embedders=(_Dead(filled.garage.embedders[0]),))
    found = doctor.checks(dead)
    failed = {check.part for check in found if check.state == "failed"}
    assert failed == {"models", "search"}


class _Dead:
    """A model that answers nothing."""

    def __init__(self, living: object) -> None:
        self._living = living

    def __getattr__(self, name: str) -> object:
        return getattr(self._living, name)

    def embed_query(self, text: str) -> object:
        from graphstore.errors import Unavailable

        raise Unavailable(f"The model does not answer ({len(text)} characters).")


@pytest.mark.req("RUN-4")
def test_the_shipped_checks_name_every_index_of_the_schema_files(corpus: Corpus) -> None:
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(Path(queries.ROOT / "schema").glob("[0-9]*.cypher"))
    )
    named = {index.name for index in health.indexes(corpus.garage.graph)}
    assert text.count(" IF NOT EXISTS") <= len(named)
    assert {"ft_chunk", "chunk_uid", "vec_words_chunk", "schema_lock_name"} <= named
