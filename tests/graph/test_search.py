"""Search: any input is a query, a hit says what it is and why it came, and the log stays here."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.ops import maintenance, search
from api.ops.garage import Caller, Garage, beside
from api.ops.runs import Runs
from api.ops.search import SearchRequest, SearchResult
from graphstore import lanes, search_log
from graphstore.errors import InvalidInput, TooLarge
from graphstore.lanes import Filter, Scope
from graphstore.search_log import SearchEvent
from tests.graph.conftest import OWNER, Corpus, add_source, rows
from tests.graph.mails import maildir, message
from tests.words import WordEmbedder


@pytest.fixture
def library(corpus: Corpus) -> Corpus:
    corpus.write(
        "rivers/gauge.md",
        "---\nauthor: [Bo Example, Ada Example <ada@example.org>]\n---\n\n# Gauges\n\n"
        "## Reading\n\nThe gauge at the river shows the level of the water.",
    )
    corpus.write("bread.md", "# Bread\n\nKnead the dough and let it rise twice.")
    corpus.write("code.py", "def readLevel(gauge):\n    return gauge.level\n")
    corpus.write("cjk.md", "# 河川\n\n水位計は河川の水位を測る。")
    corpus.ingest()
    corpus.embed()
    return corpus


def ask(
    corpus: Corpus, query: str, wanted: Filter | None = None, **changes: object
) -> SearchResult:
    request = SearchRequest(query, wanted=wanted or Filter(), **changes)  # type: ignore[arg-type] - fields by name
    return search.search(corpus.garage, OWNER, request)


def with_search(corpus: Corpus, **changes: object) -> Corpus:
    found = replace(corpus.garage.settings.search, **changes)  # type: ignore[arg-type] - fields by name
    return corpus.with_garage(settings=replace(corpus.garage.settings, search=found))


@pytest.mark.req("SEA-3")
def test_a_hit_says_what_it_is_where_it_is_and_who_wrote_it(library: Corpus) -> None:
    hit = ask(library, "gauge river level water").hits[0]
    (stored,) = rows(
        library.garage.graph,
        "MATCH (d:Document {path: 'rivers/gauge.md'})-[:HAS_CHUNK]->(c) "
        "RETURN d.uid AS document, c.uid AS chunk, c.text AS text, d.tokens AS tokens, "
        "d.mtime AS at",
    )
    assert (hit.kind, hit.rank, hit.memory_id, hit.evidence_count) == ("chunk", 1, None, 1)
    assert (hit.document_uid, hit.chunk_uid) == (stored["document"], stored["chunk"])
    assert (hit.uri, hit.path) == ("notes:rivers/gauge.md", "rivers/gauge.md")
    assert (hit.source, hit.corpus_class, hit.trust) == ("notes", "document", "authored")
    assert hit.authors == ("Ada Example", "Bo Example")
    assert (hit.title, hit.mime, hit.text) == ("Gauges", "text/markdown", stored["text"])
    assert hit.document_tokens == stored["tokens"]
    assert hit.changed_at == stored["at"].to_native()  # type: ignore[attr-defined] - of the driver
    assert hit.score > 0
    assert not hit.low_confidence
    assert hit.lanes == ()


@pytest.mark.req("SEA-1")
def test_an_explained_hit_names_the_rank_and_score_of_every_lane(library: Corpus) -> None:
    result = ask(library, "gauge river level", explain=True)
    first = result.hits[0]
    ranks = {lane.lane: lane.rank for lane in first.lanes}
    assert ranks["vector:words"] == 1
    assert {"vector:words", "recency"} <= ranks.keys()
    assert all(-1 <= lane.score <= 1 for lane in first.lanes if lane.lane == "vector:words")
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert [hit.score for hit in result.hits] == sorted(
        (h.score for h in result.hits), reverse=True
    )


@pytest.mark.req("SEA-1")
def test_two_lanes_too_weak_alone_are_not_replaced_by_the_order_of_dates(corpus: Corpus) -> None:
    corpus.write("a.md", "The gauge at the river.")
    corpus.write("b.md", "The bread in the oven.")
    corpus.ingest()
    corpus.embed()
    for number in range(2):
        corpus.write(f"new{number}.md", f"The gauge was read again, time {number}.")
    corpus.ingest()
    result = ask(corpus, "gauge river", explain=True)
    assert result.hits[0].path == "a.md"
    lane_names = {lane.lane for hit in result.hits for lane in hit.lanes}
    assert lane_names - {"recency"}


@pytest.mark.req("SEA-1")
def test_the_newer_of_two_equal_texts_comes_first(corpus: Corpus) -> None:
    for name, day in (("old.md", 1), ("new.md", 20), ("mid.md", 10)):
        file = corpus.write(name, "The gauge at the river is read.")
        moment = datetime(2026, 5, day, tzinfo=UTC).timestamp()
        os.utime(file, (moment, moment))
    corpus.ingest()
    corpus.embed()
    result = ask(with_search(corpus, min_lane_hits=1), "gauge river", explain=True)
    recency = {h.path: lane.rank for h in result.hits for lane in h.lanes if lane.lane == "recency"}
    assert recency == {"new.md": 1, "mid.md": 2, "old.md": 3}


ODD = [
    "", " ", "\n\t", "\0", "a\0b", "😀", "水位", "AND", "AND OR NOT", "a AND", "(", "[a TO", '"',
    "*:*", "/b", "tb-", "a~99", "{!lucene}x", "x" * 9_000,
    " ".join(f"t{n}" for n in range(1_600)), "a" + "\\" * 300,
    "text:secret", "a/b tb- \"x", "\\", "a\\", "^2", "~", "?", "*", "&&", "||", "!a", "{a}",
    "\ud800", "gauge \udfff", "x" * 10_000, "gauge " * 1_600, "'; MATCH (n) DETACH DELETE n //",
]  # fmt: skip


@pytest.mark.campaign("C24")
def test_ten_thousand_terms_are_refused_by_the_name_of_the_limit(library: Corpus) -> None:
    with pytest.raises(TooLarge, match="at most 10,000"):
        ask(library, " ".join(f"term{n}" for n in range(10_000)))


@pytest.mark.campaign("C24")
@pytest.mark.req("SEA-8")
@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
def test_any_input_is_a_query(library: Corpus, query: str) -> None:
    before = rows(library.garage.graph, "MATCH (c:Chunk) RETURN count(c) AS n")
    for wanted in (Filter(), Filter(sources=("notes",), authors=("ada@example.org", query))):
        result = ask(library, query, wanted)
        assert result.degraded == ()
        assert len(result.hits) <= 10
    assert rows(library.garage.graph, "MATCH (c:Chunk) RETURN count(c) AS n") == before


@pytest.mark.req("SEA-8")
def test_random_text_never_breaks_the_full_text_index(library: Corpus) -> None:
    alphabet = st.sampled_from('+-&|!(){}[]^"~*?:\\/ ANDORTgauge1\n\t\0水😀')

    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.text(alphabet=alphabet, max_size=40) | st.text(max_size=20))
    def never_fails(query: str) -> None:
        clean = query.encode(errors="replace").decode()
        found = lanes.by_text(library.garage.graph, clean, Scope(Filter(sources=("notes",))), 10)
        assert len(found) <= 4

    never_fails()


@pytest.mark.req("SEA-8")
def test_blank_input_finds_nothing_and_says_so(library: Corpus) -> None:
    result = ask(library, " \n ")
    assert (result.hits, result.low_confidence) == ((), True)


@pytest.mark.req("SEA-8")
def test_other_scripts_and_the_words_of_identifiers_are_found(library: Corpus) -> None:
    few = with_search(library, min_lane_hits=1)
    assert ask(few, "河川の水位").hits[0].path == "cjk.md"
    found = {h.path: h for h in ask(few, "read level", explain=True).hits}
    assert "fulltext" in {lane.lane for lane in found["code.py"].lanes}


@pytest.mark.req("SEA-8")
def test_a_text_too_long_for_a_question_is_refused(library: Corpus) -> None:
    with pytest.raises(TooLarge, match="10,001"):
        ask(library, "x" * 10_001)


@pytest.mark.req("SEA-2")
@pytest.mark.parametrize(
    "changes",
    [
        {"limit": 0},
        {"limit": 101},
        {"limit": -1},
        {"include": ("poem",)},
        {"wanted": Filter(classes=("secret",))},
        {"wanted": Filter(trusts=("total",))},
        {"wanted": Filter(sources=("nowhere",))},
        {"wanted": Filter(sources=("notes' OR 1=1",))},
    ],
)
def test_what_cannot_be_asked_is_refused_and_not_logged(
    library: Corpus, changes: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        ask(library, "gauge", **changes)  # type: ignore[arg-type] - fields by name
    assert search_log.latest(library.garage.graph) == ()


@pytest.mark.req("SEA-2")
def test_a_limit_cuts_the_hits_and_says_that_there_are_more(library: Corpus) -> None:
    result = ask(library, "gauge river", limit=1)
    assert (len(result.hits), result.truncated) == (1, True)
    result = ask(library, "gauge river", limit=100)
    assert (len(result.hits), result.truncated) == (4, False)
    assert ask(library, "gauge", include=("fact",)).hits == ()


@pytest.mark.req("SEA-2")
def test_each_filter_lets_through_what_it_names_and_nothing_else(library: Corpus) -> None:
    mail = add_source(library.garage, maildir(library.root.with_name("mail")), "mail")
    message(mail.root, "one", text="The gauge at the river.", day=1)
    mail.ingest()
    mail.embed()
    every = {"rivers/gauge.md", "bread.md", "code.py", "cjk.md", "one"}
    june = datetime(2026, 6, 1, tzinfo=UTC)
    sent = june.replace(hour=10)
    cases: list[tuple[Filter, set[str]]] = [
        (Filter(), every),
        (Filter(sources=("mail",)), {"one"}),
        (Filter(sources=("mail", "notes")), every),
        (Filter(classes=("communication",)), {"one"}),
        (Filter(trusts=("received",)), {"one"}),
        (Filter(authors=("ada@example.org",)), {"rivers/gauge.md", "one"}),
        (Filter(authors=("BO  example",)), {"rivers/gauge.md"}),
        (Filter(mimes=("message/rfc822",)), {"one"}),
        (Filter(mimes=("text",), sources=("notes",)), every - {"one"}),
        (Filter(since=sent, until=sent + timedelta(seconds=1)), {"one"}),
        (Filter(until=sent, sources=("mail",)), set()),
        (Filter(since=sent + timedelta(seconds=1), sources=("mail",)), set()),
        (Filter(authors=("nobody",)), set()),
    ]
    for wanted, paths in cases:
        found = {hit.path for hit in ask(library, "gauge river", wanted, limit=100).hits}
        assert found == paths, wanted


@pytest.mark.req("SEA-2")
@pytest.mark.parametrize("mime", ["csv", "", "text/", "text/a b"])
def test_a_media_type_that_is_none_is_refused(library: Corpus, mime: str) -> None:
    with pytest.raises(InvalidInput, match="no media type"):
        ask(library, "gauge", Filter(mimes=(mime,)))


@pytest.mark.req("SEA-2")
def test_a_class_changed_on_the_document_alone_counts_at_once(library: Corpus) -> None:
    rows(
        library.garage.graph,
        "MATCH (d:Document {path: 'rivers/gauge.md'}) SET d.class = 'communication'",
    )
    result = ask(library, "gauge river", Filter(classes=("document", "code", "reference")))
    assert "rivers/gauge.md" not in {hit.path for hit in result.hits}
    assert len(result.hits) == 3
    assert not result.truncated
    hit = ask(library, "gauge river level").hits[0]
    assert (hit.path, hit.corpus_class) == ("rivers/gauge.md", "communication")


@pytest.mark.req("SEA-1")
def test_a_search_asks_the_models_that_there_are_now(library: Corpus) -> None:
    def lane_names() -> set[str]:
        result = ask(with_search(library, min_lane_hits=1), "gauge river", explain=True)
        return {lane.lane for hit in result.hits for lane in hit.lanes}

    assert lane_names() == lane_names() == {"vector:words", "fulltext", "recency"}
    kept = rows(
        library.garage.graph,
        "MATCH (m:EmbeddingModel) WITH m, properties(m) AS kept DELETE m RETURN kept",
    )
    assert lane_names() == {"fulltext", "recency"}
    rows(library.garage.graph, "CREATE (m:EmbeddingModel) SET m = $kept", **kept[0])
    assert lane_names() == {"vector:words", "fulltext", "recency"}


@pytest.mark.req("SEA-1")
def test_a_chunk_without_its_document_is_found_by_no_lane(library: Corpus) -> None:
    rows(library.garage.graph, "MATCH (d:Document {path: 'rivers/gauge.md'}) DETACH DELETE d")
    result = ask(library, "The gauge at the river shows the level", limit=100)
    assert {hit.path for hit in result.hits} == {"bread.md", "code.py", "cjk.md"}
    assert not result.truncated


@pytest.mark.req("SEA-7")
def test_the_context_of_a_chunk_is_found_and_is_no_part_of_its_text(corpus: Corpus) -> None:
    body = "\n\n".join(
        f"## Part {n}\n\n" + f"Paragraph {n} tells of water and stones. " * 30 for n in range(4)
    )
    corpus.write("a.md", f"# Quicksilver\n\n{body}")
    corpus.write("b.md", f"# Lead\n\n{body}")
    corpus.ingest()
    corpus.embed()
    result = ask(corpus, "quicksilver", limit=100, explain=True)
    found = [h for h in result.hits if "fulltext" in {lane.lane for lane in h.lanes}]
    assert len(found) > 2
    assert {hit.path for hit in found} == {"a.md"}
    assert sum("Quicksilver" in hit.text for hit in found) == 1
    assert any(hit.section == "Quicksilver › Part 3" for hit in found)
    embedded = corpus.garage.embedders[0].embedded  # type: ignore[attr-defined] - a WordEmbedder
    assert sum("Quicksilver" in text for text in embedded) == len(found)


@pytest.mark.req("SEA-3")
def test_a_question_that_nothing_answers_is_of_low_confidence(
    library: Corpus, embedder: WordEmbedder
) -> None:
    embedder.low_confidence_cosine = 0.5
    assert not ask(library, "the gauge at the river shows the level of the water").low_confidence
    result = ask(library, "zeppelin airfield mooring")
    assert result.low_confidence
    assert all(hit.low_confidence for hit in result.hits)


@pytest.mark.req("SEA-3")
def test_of_talk_it_is_judged_by_how_much_of_the_question_it_says(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    corpus.write("ada.md", "Ada: shall we have the soup at the harbour with Ben on Friday?")
    corpus.ingest()
    corpus.embed()
    embedder.low_confidence_cosine = 0.42
    near = "Which wine did Ada order in Lisbon with the soup at the harbour last winter?"
    assert not ask(corpus, near).low_confidence
    rows(corpus.garage.graph, "MATCH (n:Document|Chunk) SET n.class = 'communication'")
    assert ask(corpus, near).low_confidence
    assert not ask(corpus, "When is the soup with Ben at the harbour?").low_confidence


@pytest.mark.req("SEA-1")
def test_a_word_that_hardly_any_text_says_comes_first_in_a_crowd(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    for each in range(150):
        corpus.write(f"crowd/{each}.md", f"House {each} has a plumber and a river.")
    corpus.write("one.md", "Ticket ZX-4711 was closed by the caretaker long ago.")
    # Its vector says nothing of the ticket, as a model's often does of numbers.
    embedder.spoiled["ZX-4711"] = embedder.embed_passages(["something else entirely"])[0]
    corpus.ingest()
    corpus.embed()
    del embedder.spoiled["ZX-4711"]
    assert ask(corpus, "ZX-4711").hits[0].path == "one.md"


@pytest.mark.req("SEA-9")
def test_a_search_is_logged_with_its_door_filters_and_hits(library: Corpus) -> None:
    client = Caller("assistant", "mcp")
    asked = SearchRequest("gauge river", limit=2, wanted=Filter(classes=("document",)))
    result = search.search(library.garage, client, asked)
    (event,) = search_log.latest(library.garage.graph)
    assert (event.surface, event.client, event.query) == ("mcp", "assistant", "gauge river")
    assert event.filters["classes"] == ["document"]
    assert (event.hit_count, event.low_confidence) == (2, result.low_confidence)
    assert event.top_score == result.hits[0].score
    returned = "MATCH (:SearchEvent)-[r:RETURNED]->(c) RETURN c.uid AS uid ORDER BY r.rank"
    uids = [row["uid"] for row in rows(library.garage.graph, returned)]
    assert uids == [hit.chunk_uid for hit in result.hits]


@pytest.mark.req("SEA-9")
def test_an_answer_does_not_wait_for_its_log(library: Corpus) -> None:
    held: list[Callable[[], None]] = []
    assert ask(library.with_garage(later=held.append), "gauge river").hits
    assert search_log.latest(library.garage.graph) == ()
    beside(held.pop())
    deadline = time.monotonic() + 30
    while not search_log.latest(library.garage.graph):
        assert time.monotonic() < deadline


@pytest.mark.req("SEA-9")
def test_no_search_is_logged_when_the_log_is_off(library: Corpus) -> None:
    ask(with_search(library, log_enabled=False), "gauge")
    assert search_log.latest(library.garage.graph) == ()


@pytest.mark.req("SEA-9")
def test_the_log_forgets_what_is_older_than_its_retention(garage: Garage) -> None:
    now = garage.clock.now()
    for days in (0, 29, 31, 400):
        event = SearchEvent(f"e{days}", now - timedelta(days=days), "cli", "tester", "gauge")
        search_log.record(garage.graph, event, [])
    kept = replace(garage.settings.search, log_retention_days=30)
    short = replace(garage, settings=replace(garage.settings, search=kept))
    done = maintenance.once(short, Runs(short, "tests"))
    assert (done.runs, done.purged_searches) == ((), 2)
    assert [each.uid for each in search_log.latest(garage.graph)] == ["e0", "e29"]
    assert maintenance.once(short, Runs(short, "tests")).purged_searches == 0
