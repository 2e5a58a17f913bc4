"""Facts in the graph: read by the job of a document, grounded, in time, and gone with it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from api.ops import facts, memories, sources, work
from api.ops.distilling import Distiller
from api.ops.facts import DocumentFacts
from api.ops.garage import Garage
from api.ops.handling import Subject
from api.ops.memories import ChangeRequest, RememberRequest
from api.ops.sources import RemovalRequest
from api.ops.stopping import Stop
from api.ops.work import Request
from extraction.facts.apart import ApartExtractor
from extraction.facts.rules import RuleExtractor
from graphstore import health
from graphstore.claims import Effect
from tests.graph.conftest import OWNER, Corpus, rows
from tests.graph.workers import make_due, states

NOTE = """# Gauge

Ada Weir reads the gauge at the old bridge every Monday. The council bought a new pump in May 2026.

Ada will move to Lindau if the house is sold.
"""


@pytest.fixture(scope="module")
def extractor() -> RuleExtractor:
    return RuleExtractor()


@pytest.fixture
def notes(corpus: Corpus, extractor: RuleExtractor) -> Corpus:
    """A corpus whose facts are read by jobs."""
    return corpus.with_garage(handlers=(Distiller(extractor),))


def work_all(garage: Garage) -> dict[str, int]:
    return dict(work.work(garage, OWNER, Request()).counts)


def read(notes: Corpus) -> None:
    """Store the note and have its facts read."""
    notes.write("gauge.md", NOTE)
    notes.ingest()
    work_all(notes.garage)


def of(garage: Garage, reference: str, **asked: object) -> DocumentFacts:
    return facts.of_document(garage, reference, **asked)  # type: ignore[arg-type] - by name


def said(garage: Garage, reference: str, **asked: object) -> list[str]:
    return [each.text for each in of(garage, reference, **asked).facts]


@pytest.mark.req("FCT-1", part=True)
def test_a_document_states_its_facts_each_exactly_where_its_words_stand(notes: Corpus) -> None:
    notes.write("gauge.md", NOTE)
    notes.ingest()
    assert of(notes.garage, "gauge.md").standing.is_waiting
    assert work_all(notes.garage) == {"done": 1}
    found = of(notes.garage, "gauge.md")
    assert found.standing.is_read
    assert not found.standing.is_waiting
    assert len(found.facts) >= 3
    texts = {
        row["uid"]: str(row["text"])
        for row in rows(notes.garage.graph, "MATCH (c:Chunk) RETURN c.uid AS uid, c.text AS text")
    }
    for fact in found.facts:
        assert fact.chunk_uid is not None
        assert texts[fact.chunk_uid][fact.start : fact.end] == fact.quote
    pump = next(each for each in found.facts if "pump" in each.text)
    assert (pump.valid_from, pump.granularity) == (datetime(2026, 5, 1, tzinfo=UTC), "month")
    standings = {each.standing for each in found.facts if "Lindau" in each.text}
    assert standings == {"conditional"}


@pytest.mark.req("FCT-1", part=True)
@pytest.mark.req("QUE-3")
def test_facts_that_are_read_twice_are_the_same_facts(
    notes: Corpus, extractor: RuleExtractor
) -> None:
    read(notes)
    before = of(notes.garage, "gauge.md").facts
    notes.write("gauge.md", NOTE.replace("# Gauge", "# The gauge"))
    notes.ingest()
    work_all(notes.garage)
    after = of(notes.garage, "gauge.md").facts
    assert [each.uid for each in after] == [each.uid for each in before]
    assert states(notes.garage.graph) == ["done", "done"]


@pytest.mark.req("FCT-1", part=True)
def test_what_a_new_text_says_no_longer_has_ended_at_once_and_is_known_as_it_was(
    notes: Corpus,
) -> None:
    read(notes)
    old = of(notes.garage, "gauge.md").facts
    then = notes.garage.clock.now()
    notes.write("gauge.md", "Some words above.\n\n" + NOTE.replace("bought", "sold"))
    notes.ingest()
    # Before any job: what moved has moved, what went has ended.
    texts = said(notes.garage, "gauge.md")
    assert not any("bought" in text for text in texts)
    kept = [each for each in old if "bought" not in each.text]
    assert texts == [each.text for each in kept]
    work_all(notes.garage)
    now = of(notes.garage, "gauge.md").facts
    assert {each.uid for each in kept} <= {each.uid for each in now}
    assert any("sold" in each.text for each in now)
    known_then = said(notes.garage, "gauge.md", known_at=then)
    assert sorted(known_then) == sorted(each.text for each in old)
    (gone,) = [
        each for each in of(notes.garage, "gauge.md", ended=True).facts if each.invalidated_at
    ]
    assert "bought" in gone.quote
    assert gone.reason
    assert gone.chunk_uid is None
    assert health.strays(notes.garage.graph) == {}


@pytest.mark.req("FCT-1", part=True)
def test_what_is_true_at_a_time_is_asked_with_as_of(notes: Corpus) -> None:
    read(notes)
    early = said(notes.garage, "gauge.md", as_of=datetime(2026, 4, 30, tzinfo=UTC))
    late = said(notes.garage, "gauge.md", as_of=datetime(2026, 5, 2, tzinfo=UTC))
    assert not any("pump" in text for text in early)
    assert any("pump" in text for text in late)


@pytest.mark.req("MEM-7")
def test_a_memory_states_facts_and_forgetting_it_takes_and_counts_them(
    garage: Garage, extractor: RuleExtractor
) -> None:
    sources.set_up(garage)
    store = replace(garage, handlers=(Distiller(extractor),))
    text = "Ada Weir reads the gauge at the old bridge every Monday."
    uid = memories.remember(store, OWNER, RememberRequest(text)).memory.uid
    assert work_all(store) == {"done": 1}
    before = said(store, uid)
    assert text in before
    changed = ChangeRequest(text=text.replace("Monday", "Tuesday"))
    memories.update(store, OWNER, uid, changed)
    work_all(store)
    now = said(store, uid)
    assert changed.text in now
    assert text not in now
    stored = len(said(store, uid, ended=True))
    assert stored > len(now)
    forgotten = memories.forget(store, OWNER, uid)
    assert forgotten.removed.facts == stored
    assert rows(store.graph, "MATCH (f:Fact) RETURN f") == []


@pytest.mark.req("FCT-1", part=True)
def test_facts_go_with_their_file_and_stay_with_a_document_that_is_kept(notes: Corpus) -> None:
    notes.write("gauge.md", NOTE)
    notes.write("more.md", "The council bought a new pump for the harbour in June 2026.")
    notes.write("other.md", "Tomatoes like the southern wall.")
    notes.ingest()
    work_all(notes.garage)
    assert said(notes.garage, "gauge.md")
    (notes.root / "gauge.md").unlink()
    notes.ingest()
    left = rows(notes.garage.graph, "MATCH (d)-[:STATES]->(f:Fact) RETURN DISTINCT d.path AS path")
    assert "gauge.md" not in {row["path"] for row in left}
    sources.remove(notes.garage, OWNER, "notes", how=RemovalRequest(keep_documents=True))
    assert said(notes.garage, "more.md")
    assert health.strays(notes.garage.graph) == {}
    assert rows(notes.garage.graph, "MATCH (f:Fact) RETURN DISTINCT f.source AS s") == [
        {"s": "kept"}
    ]


@pytest.mark.req("FCT-1", part=True)
def test_a_fact_is_as_restricted_as_its_document_becomes(
    notes: Corpus, extractor: RuleExtractor
) -> None:
    read(notes)
    assert {each.corpus_class for each in of(notes.garage, "gauge.md").facts} == {"document"}
    sources.add(
        notes.garage,
        OWNER,
        sources.SourceRequest("notes", str(notes.root), default_class="communication"),
    )
    notes.write("gauge.md", NOTE + "\nMore words.\n")
    notes.ingest()
    assert {each.corpus_class for each in of(notes.garage, "gauge.md").facts} == {"communication"}
    assert health.strays(notes.garage.graph) == {}


@pytest.mark.req("FCT-1", part=True)
@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("brief.md", "Die Brücke über den Fluss wurde im Mai 2026 vom Rat gekauft. " * 4, "de"),
        ("gauge.py", "def read(gauge):\n    return gauge.level\n", "code"),
    ],
)
def test_another_language_is_stored_and_the_reason_told(
    notes: Corpus, path: str, text: str, why: str
) -> None:
    notes.write(path, text)
    notes.ingest()
    assert work_all(notes.garage) == {"done": 1}
    found = of(notes.garage, path)
    assert found.facts == ()
    assert found.standing.is_read
    assert why in found.standing.skipped


@pytest.mark.req("FCT-1", part=True)
def test_a_process_of_its_own_reads_the_same_facts_and_ends_when_it_is_closed(
    notes: Corpus, extractor: RuleExtractor
) -> None:
    notes.write("gauge.md", NOTE)
    notes.ingest()
    with ApartExtractor() as apart:
        assert apart.name == extractor.name
        apart_notes = notes.with_garage(handlers=(Distiller(apart),))
        assert work_all(apart_notes.garage) == {"done": 1}
    told = said(notes.garage, "gauge.md")
    notes.write("gauge.md", NOTE + "\nMore words.\n")
    notes.ingest()
    work_all(notes.garage)
    assert said(notes.garage, "gauge.md") == told


@pytest.mark.req("FCT-1", part=True)
@pytest.mark.req("QUE-1")
def test_what_was_stored_before_or_read_by_another_extractor_is_read_by_the_next_work(
    corpus: Corpus, extractor: RuleExtractor
) -> None:
    corpus.write("gauge.md", NOTE)
    corpus.write("more.md", "The council bought a new pump for the harbour in June 2026.")
    corpus.ingest()
    assert states(corpus.garage.graph) == []
    notes = corpus.with_garage(handlers=(Distiller(extractor),))
    assert not of(notes.garage, "gauge.md").standing.is_read
    assert work_all(notes.garage) == {"done": 2}
    assert work_all(notes.garage) == {}
    rows(notes.garage.graph, "MATCH (d:Document {path: 'more.md'}) SET d.distilled_by = 'old'")
    assert work_all(notes.garage) == {"done": 1}
    assert said(notes.garage, "more.md")


@pytest.mark.req("FCT-1", part=True)
def test_a_text_that_is_cut_anew_meanwhile_is_read_again(
    notes: Corpus, extractor: RuleExtractor
) -> None:
    notes.write("gauge.md", NOTE)
    notes.ingest()

    @dataclass(frozen=True)
    class Cutting(Distiller):
        """Cuts the text anew once, after it was read."""

        def run(self, subject: Subject, stop: Stop) -> Effect:
            effect = super().run(subject, stop)
            rows(notes.garage.graph, "MATCH (c:Chunk) SET c.uid = c.uid + 'x'")
            return effect

    cut = notes.with_garage(handlers=(Cutting(extractor),))
    assert work_all(cut.garage) == {"deferred": 1}
    assert said(notes.garage, "gauge.md") == []
    make_due(notes.garage.graph)
    assert work_all(notes.garage) == {"done": 1}
    assert said(notes.garage, "gauge.md")
