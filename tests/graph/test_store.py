"""Store: a text that is handed over is kept byte for byte, once, and found at once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import memories, memory_lists, reading, recall, search, sources, stats, store
from api.ops.garage import Caller, Garage
from api.ops.memories import RememberRequest
from api.ops.recall import RecallRequest
from api.ops.search import SearchRequest
from api.ops.settings import MemorySettings
from api.ops.store import StoreRequest, StoreResult
from graphstore.errors import Conflict, InvalidInput, TooLarge, TooMany
from tests.graph.conftest import OWNER, Corpus, SteppingClock, add_source, rows
from tests.words import WordEmbedder

AGENT = Caller("claude", "mcp")
VERBATIM = "  \r\n# Minutes\r\n\r\nAda:\tthe gauge — 水位.\n\n\n- one\n- two  \n\x0b\u2028 end \n"


@pytest.fixture
def kept(garage: Garage) -> Garage:
    sources.set_up(garage)
    return garage


def hand_over(garage: Garage, text: str, caller: Caller = OWNER, **said: object) -> StoreResult:
    return store.store(garage, caller, StoreRequest(text, **said))  # type: ignore[arg-type] - fields by name


def text_of(garage: Garage, uid: str) -> str:
    return "".join(chunk.text for chunk in reading.chunks(garage, uid))


@pytest.mark.req("STO-1")
@pytest.mark.parametrize("text", [VERBATIM, VERBATIM * 300, "x", "é" * 131_072])
def test_a_text_comes_back_byte_for_byte(kept: Garage, text: str) -> None:
    done = hand_over(kept, text)
    assert text_of(kept, done.document.uid).encode() == text.encode()
    assert done.document.bytes == len(text.encode())
    assert done.document.uri.startswith("inbox://")
    assert done.document.source == "stored"


@pytest.mark.req("STO-1")
def test_a_text_is_found_in_the_next_search_and_says_what_it_is(kept: Garage) -> None:
    done = hand_over(kept, "The gauge rose in May.", title="Minutes", subjects=("Bridge",))
    assert (done.created, done.embedded_models, done.pending_models) == (True, ("words",), ())
    hit = search.search(kept, OWNER, SearchRequest("when did the gauge rise in May")).hits[0]
    assert (hit.document_uid, hit.kind, hit.title) == (done.document.uid, "chunk", "Minutes")
    assert search.search(kept, OWNER, SearchRequest("bridge")).hits[0].uri == done.document.uri


@pytest.mark.req("STO-1")
def test_the_same_bytes_are_one_document_whoever_brings_them(kept: Garage, corpus: Corpus) -> None:
    first = hand_over(kept, "The gauge rose in May.")
    again = hand_over(kept, "The gauge rose in May.", AGENT, title="Other")
    assert (again.created, again.document) == (False, first.document)
    other = hand_over(kept, "The gauge rose in May. ")
    assert other.created
    drop = add_source(kept, corpus.root.with_name("drop"), "drop", kind="inbox")
    drop.write("a.md", "What lies in the drop folder about gauges.\n")
    drop.ingest()
    there = hand_over(kept, "What lies in the drop folder about gauges.\n")
    assert (there.created, there.document.source) == (False, "drop")


@pytest.mark.req("STO-1")
def test_a_second_handing_over_may_restrict_a_text_and_never_frees_it(kept: Garage) -> None:
    first = hand_over(kept, "What Ada wrote.")
    assert first.document.corpus_class == "document"
    tighter = hand_over(kept, "What Ada wrote.", corpus_class="communication").document
    assert (tighter.uid, tighter.corpus_class) == (first.document.uid, "communication")
    freed = hand_over(kept, "What Ada wrote.", corpus_class="document").document
    assert freed.corpus_class == "communication"
    copies = rows(kept.graph, "MATCH (c:Chunk) RETURN DISTINCT c.class AS class")
    assert copies == [{"class": "communication"}]


@pytest.mark.req("STO-1")
@pytest.mark.parametrize(
    ("said", "error", "named"),
    [
        ({"text": ""}, InvalidInput, "empty"),
        ({"text": " \r\n"}, InvalidInput, "empty"),
        ({"text": "a\0b"}, InvalidInput, "null"),
        ({"text": "\udfff"}, InvalidInput, "surrogate"),
        ({"text": "x" * (256 * 1024 + 1)}, TooLarge, "256 KiB"),
        ({"text": "é" * (128 * 1024 + 1)}, TooLarge, "262,146"),
        ({"kind": "rumour"}, InvalidInput, "kind"),
        ({"distil": "later"}, InvalidInput, "distil"),
        ({"corpus_class": "secret"}, InvalidInput, "class"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_stored(
    kept: Garage, said: dict[str, object], error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        hand_over(kept, **{"text": "fine", **said})  # type: ignore[arg-type] - fields by name
    assert rows(kept.graph, "MATCH (d:Document) RETURN d") == []


@pytest.mark.req("STO-1")
def test_the_queue_holds_one_job_for_a_text_and_the_reply_says_so(kept: Garage) -> None:
    queued = hand_over(kept, "The gauge rose in May.")
    again = hand_over(kept, "The gauge rose in May.")
    assert queued.job_uid == again.job_uid is not None
    assert f"Job {queued.job_uid}" in queued.notes[-1]
    (job,) = rows(
        kept.graph,
        "MATCH (j:Job:Queued)-[:FOR]->(d) RETURN j.uid AS uid, j.kind AS kind, d.uid AS document",
    )
    assert job == {"uid": queued.job_uid, "kind": "distil", "document": queued.document.uid}
    now = hand_over(kept, "The gauge fell in June.", distil="now")
    assert now.job_uid is not None
    none = hand_over(kept, "The gauge slept in July.", distil="none")
    assert (none.job_uid, none.notes) == (None, ())


@pytest.mark.req("STO-1")
def test_a_linked_memory_rests_on_its_text_and_takes_its_class_and_kind(kept: Garage) -> None:
    text = "We decided to paint the gauge red. " * 100
    done = hand_over(kept, text, kind="decision", corpus_class="communication", remember=True)
    assert done.memory is not None
    memory = done.memory.memory
    assert (memory.kind, memory.corpus_class) == ("decision", "communication")
    assert [each.uid for each in memory.evidence] == [done.document.uid]
    assert len(memory.text) <= 1_002
    assert text.startswith(memory.text.removesuffix(" …"))
    found = recall.recall(kept, OWNER, RecallRequest("what did we decide to paint red"))
    assert [each.memory.uid for each in found.memories] == [memory.uid]
    memories.forget(kept, OWNER, memory.uid)
    assert text_of(kept, done.document.uid) == text


@pytest.mark.req("STO-1")
def test_words_of_others_are_received_and_an_assistant_is_trusted_as_set(kept: Garage) -> None:
    less = replace(kept, settings=replace(kept.settings, memory=MemorySettings("reference")))
    assert hand_over(kept, "Mine.", kind="note").document.trust == "authored"
    assert hand_over(kept, "Theirs.", kind="conversation").document.trust == "received"
    assert hand_over(less, "Its own.", AGENT, kind="note").document.trust == "reference"


@pytest.mark.req("STO-1")
@pytest.mark.campaign("C18")
def test_a_client_that_runs_away_is_stopped_over_both_doors_of_writing(kept: Garage) -> None:
    few = replace(kept, settings=replace(kept.settings, memory=MemorySettings(writes_per_minute=3)))
    acts: list[Callable[[Caller, str], object]] = [
        lambda caller, text: hand_over(few, text, caller),
        lambda caller, text: memories.remember(few, caller, RememberRequest(text)),
    ]
    for number in range(3):
        acts[number % 2](AGENT, f"Text number {number}.")
    before = rows(few.graph, "MATCH (n) RETURN count(n) AS n")
    for act in acts:
        with pytest.raises(TooMany) as caught:
            act(AGENT, "One too many.")
        assert 0 < caught.value.retry_after_s <= 60
    assert rows(few.graph, "MATCH (n) RETURN count(n) AS n") == before
    acts[1](Caller("cursor", "mcp"), "Another client goes on.")
    assert isinstance(few.clock, SteppingClock)
    few.clock.moment += timedelta(minutes=1)
    acts[1](AGENT, "Later it may again.")
    assert memory_lists.listed(few, memory_lists.ListRequest()).total == 3


@pytest.mark.req("STO-1")
def test_a_dead_embedder_never_fails_a_store(kept: Garage, embedder: WordEmbedder) -> None:
    embedder.is_down = True
    done = hand_over(kept, "The gauge rose in May.")
    assert (done.created, done.pending_models) == (True, ("words",))
    assert "does not answer" in done.notes[0]
    assert stats.log(kept, verb="store-text")[0].actor == "tester"


@pytest.mark.req("STO-1")
def test_a_source_of_the_name_of_the_inbox_is_left_alone(kept: Garage, corpus: Corpus) -> None:
    add_source(kept, corpus.root.with_name("mine"), "stored")
    with pytest.raises(Conflict, match="'stored'"):
        hand_over(kept, "The gauge rose in May.")
