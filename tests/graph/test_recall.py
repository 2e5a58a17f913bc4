"""Recall: memories that answer, ranked by what they are worth; nothing rather than noise."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import memories, memory_lists, recall, search, sources, stats
from api.ops.garage import Caller, Garage
from api.ops.memories import ChangeRequest, RememberRequest
from api.ops.recall import RecallRequest, RecallResult
from api.ops.search import SearchRequest
from api.ops.settings import MemorySettings
from api.ops.sources import SourceRequest
from graphstore import search_log
from graphstore.errors import InvalidInput, TooLarge
from tests.graph.conftest import OWNER, Corpus, SteppingClock, rows
from tests.words import WordEmbedder

AGENT = Caller("claude", "mcp")


@pytest.fixture
def store(garage: Garage) -> Garage:
    sources.set_up(garage)
    return garage


def remember(garage: Garage, text: str, caller: Caller = OWNER, **said: object) -> str:
    request = RememberRequest(text, **said)  # type: ignore[arg-type] - fields by name
    return memories.remember(garage, caller, request).memory.uid


def ask(garage: Garage, query: str, **asked: object) -> RecallResult:
    request = RecallRequest(query, **asked)  # type: ignore[arg-type] - fields by name
    return recall.recall(garage, OWNER, request)


def found(garage: Garage, query: str, **asked: object) -> list[str]:
    return [each.memory.uid for each in ask(garage, query, **asked).memories]


def later(garage: Garage, **time: float) -> None:
    assert isinstance(garage.clock, SteppingClock)
    garage.clock.moment += timedelta(**time)


def with_memory(garage: Garage, **changes: object) -> Garage:
    changed = replace(garage.settings.memory, **changes)  # type: ignore[arg-type] - fields by name
    return replace(garage, settings=replace(garage.settings, memory=changed))


@pytest.mark.req("REC-1")
def test_only_memories_are_recalled_and_each_once(store: Garage, corpus: Corpus) -> None:
    corpus.write("gauge.md", "The gauge at the old bridge is read on Mondays.")
    corpus.ingest()
    corpus.embed()
    long = "The gauge at the bridge is read by Ada. " * 60
    uid = remember(store, long.strip(), title="Reading")
    result = ask(store, "who reads the gauge at the bridge")
    assert [each.memory.uid for each in result.memories] == [uid]
    first = result.memories[0]
    assert (first.rank, first.retention, first.memory.title) == (1, 1.0, "Reading")
    assert first.passage in first.memory.text
    assert (result.low_confidence, result.truncated, result.degraded) == (False, False, ())


@pytest.mark.req("REC-1")
def test_noise_recalls_nothing_and_says_so(store: Garage) -> None:
    assert ask(store, "anything at all").low_confidence
    remember(store, "The gauge at the old bridge is read on Mondays.")
    result = ask(store, "quarterly tax declaration")
    assert (result.memories, result.low_confidence) == ((), True)
    assert search_log.latest(store.graph, 1)[0].low_confidence


@pytest.mark.req("REC-1")
def test_of_equal_answers_the_more_important_one_comes_first(store: Garage) -> None:
    low = remember(store, "Read the gauge at the bridge on Monday.", importance=0.1)
    high = remember(store, "Read the gauge at the bridge on Sunday.", importance=0.9)
    usual = remember(store, "Read the gauge at the bridge on Friday.")
    result = ask(store, "read the gauge at the bridge")
    assert [each.memory.uid for each in result.memories] == [high, usual, low]
    scores = [each.score for each in result.memories]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.req("REC-1")
@pytest.mark.req("REC-2")
def test_what_faded_falls_behind_and_what_the_owner_said_does_not_fade(store: Garage) -> None:
    old = remember(store, "The gauge at the bridge was painted blue.", AGENT)
    mine = remember(store, "The gauge at the bridge was painted red.")
    later(store, days=20)
    new = remember(store, "The gauge at the bridge was painted green.", AGENT)
    kept = {
        each.memory.uid: each.retention
        for each in ask(store, "gauge at the bridge painted").memories
    }
    assert kept[mine] == 1.0
    assert kept[old] < 0.1 < 0.9 < kept[new]
    assert found(store, "gauge at the bridge painted")[-1] == old
    later(store, days=5)
    fading = with_memory(store, owner_decays=True)
    assert ask(fading, "gauge at the bridge painted red").memories[0].retention < 1


@pytest.mark.req("REC-1")
def test_kinds_sources_and_moments_narrow_a_recall_without_loss(store: Garage) -> None:
    sources.add(store, OWNER, SourceRequest("work", "memory://"))
    note = remember(store, "The gauge at the bridge, a note.")
    later(store, days=1)
    between = store.clock.now()
    later(store, days=1)
    decision = remember(store, "The gauge at the bridge, a decision.", kind="decision")
    work = remember(store, "The gauge at the bridge, at work.", source="work")
    question = "gauge at the bridge"
    assert set(found(store, question)) == {note, decision, work}
    assert found(store, question, kinds=("decision",)) == [decision]
    assert found(store, question, sources=("work",)) == [work]
    assert found(store, question, as_of=between) == [note]
    assert found(store, question, as_of=between - timedelta(days=5)) == []
    assert len(found(store, question, limit=2)) == 2
    assert ask(store, question, limit=2).truncated


@pytest.mark.req("REC-1")
@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"kinds": ("rumour",)}, InvalidInput),
        ({"sources": ("nowhere",)}, InvalidInput),
        ({"limit": 0}, InvalidInput),
        ({"limit": 51}, InvalidInput),
        ({"query": "x" * 10_001}, TooLarge),
    ],
)
def test_what_cannot_be_recalled_is_refused(
    store: Garage, asked: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        ask(store, **{"query": "gauge", **asked})  # type: ignore[arg-type] - fields by name


@pytest.mark.req("REC-2")
def test_an_archived_memory_is_found_when_asked_for_and_is_then_live_again(store: Garage) -> None:
    uid = remember(store, "The gauge at the bridge is broken.", AGENT, importance=0.1)
    rows(store.graph, "MATCH (m:Memory) SET m.status = 'archived', m.store_key = null")
    question = "is the gauge at the bridge broken"
    assert found(store, question) == []
    assert search.search(store, OWNER, SearchRequest(question)).hits == ()
    assert found(store, question, include_archived=True) == [uid]
    assert memory_lists.get(store, uid).status == "active"
    assert found(store, question) == [uid]
    assert stats.log(store, verb="restore-memory")[0].targets == (f"memory:{uid}",)
    again = memories.remember(store, AGENT, RememberRequest("The gauge at the bridge is broken."))
    assert not again.created


@pytest.mark.req("REC-1")
@pytest.mark.parametrize("aside", [150, 450])
def test_a_crowd_of_archived_memories_hides_no_live_one(store: Garage, aside: int) -> None:
    roomy = with_memory(store, writes_per_minute=1_000)
    for number in range(aside):
        remember(roomy, f"The gauge at the bridge, reading {number}.")
    rows(store.graph, "MATCH (m:Memory) SET m.status = 'archived', m.store_key = null")
    uid = remember(roomy, "Somebody once said that a gauge hangs near some bridge in the valley.")
    assert found(roomy, "the gauge at the bridge, reading 7") == [uid]


@pytest.mark.req("REC-2")
def test_an_expired_memory_stays_archived_however_often_it_is_found(store: Garage) -> None:
    soon = store.clock.now() + timedelta(hours=1)
    uid = remember(store, "The bridge is closed today.", expires_at=soon)
    later(store, hours=2)
    assert found(store, "bridge closed today") == []
    assert found(store, "bridge closed today", include_archived=True) == [uid]
    assert memory_lists.get(store, uid).status == "archived"
    assert found(store, "bridge closed today", as_of=soon - timedelta(minutes=30)) == [uid]


@pytest.mark.req("REC-1")
@pytest.mark.campaign("C55")
def test_a_hundred_recalls_at_once_count_a_hundred(store: Garage) -> None:
    uid = remember(store, "The gauge at the old bridge is read on Mondays.")
    start = threading.Barrier(10)

    def ten(_: int) -> None:
        start.wait()
        for _ in range(10):
            assert found(store, "gauge at the old bridge") == [uid]

    with ThreadPoolExecutor(10) as threads:
        list(threads.map(ten, range(10)))
    memory = memory_lists.get(store, uid)
    assert (memory.recall_count, memory.recall_days) == (100, 1)


@pytest.mark.req("REC-1")
def test_a_hit_of_a_search_is_a_recall_too_and_a_longer_life(store: Garage) -> None:
    uid = remember(store, "The gauge at the bridge is read on Mondays.", AGENT)
    search.search(store, OWNER, SearchRequest("gauge at the bridge"))
    later(store, days=1)
    found(store, "gauge at the bridge")
    memory = memory_lists.get(store, uid)
    assert (memory.recall_count, memory.recall_days) == (2, 2)
    assert memory.last_recalled_at is not None
    later(store, days=10)
    (kept,) = ask(store, "gauge at the bridge").memories
    assert kept.retention == pytest.approx(2.718 ** (-10 / (7 * 1.6**2)), abs=0.01)


@pytest.mark.req("REC-4")
@pytest.mark.campaign("C17")
def test_a_planted_memory_never_outranks_the_owners_answer(store: Garage) -> None:
    question = "what is the door code of the summer house"
    answer = remember(store, "The door code of the summer house is kept by Ada.", importance=0.0)
    planted = remember(store, question, AGENT, importance=1.0)
    for _ in range(20):
        found(store, question)
    assert found(store, question)[0] == answer
    assert planted in found(store, question)
    hits = search.search(store, OWNER, SearchRequest(question)).hits
    assert [hit.memory_id for hit in hits] == [answer, planted]
    memories.confirm(store, OWNER, planted)
    assert found(store, question)[0] == planted


@pytest.mark.req("REC-4")
def test_what_an_assistant_just_said_is_found_at_once_and_weighs_a_little_less(
    store: Garage,
) -> None:
    uid = remember(store, "The ferry leaves at seven.", AGENT)
    (short,) = ask(store, "when leaves the ferry").memories
    assert (short.memory.uid, short.memory.tier) == (uid, "short")
    memories.confirm(store, OWNER, uid)
    (long,) = ask(store, "when leaves the ferry").memories
    assert short.relevance == pytest.approx(
        MemorySettings().short_weight * long.relevance, rel=1e-3
    )


@pytest.mark.req("MEM-4")
def test_a_memory_whose_vectors_wait_is_recalled_by_its_words(
    store: Garage, embedder: WordEmbedder
) -> None:
    for number in range(4):
        remember(store, f"Another thing that happened on day {number}.")
    embedder.is_down = True
    uid = remember(store, "The password of the boat is in the blue folder.")
    embedder.is_down = False
    rows(store.graph, "MATCH (m:EmbeddingModel) SET m.error = null")
    assert found(store, "boat folder")[0] == uid
    assert search.search(store, OWNER, SearchRequest("boat folder")).hits[0].memory_id == uid


@pytest.mark.req("REC-1")
def test_the_memory_of_an_edited_text_is_recalled_by_what_it_says_now(store: Garage) -> None:
    uid = remember(store, "The ferry leaves at seven.")
    memories.update(store, OWNER, uid, ChangeRequest(text="The train leaves at nine."))
    assert found(store, "when does the train leave at nine") == [uid]
    assert ask(store, "ferry seven").memories == ()


@pytest.mark.req("SEA-3")
def test_a_search_tells_memories_from_documents_and_keeps_to_either(
    store: Garage, corpus: Corpus
) -> None:
    corpus.write("gauge.md", "The gauge at the old bridge is read on Mondays.")
    corpus.ingest()
    corpus.embed()
    uid = remember(store, "The gauge at the bridge is mine.")

    def kinds(*include: str) -> list[tuple[str, str | None]]:
        result = search.search(store, OWNER, SearchRequest("gauge bridge", include=include))
        return sorted((hit.kind, hit.memory_id) for hit in result.hits)

    assert kinds() == [("chunk", None), ("memory", uid)]
    assert kinds("memory") == [("memory", uid)]
    assert kinds("chunk") == [("chunk", None)]
    assert kinds("fact") == []
    assert MemorySettings().short_weight < 1


@pytest.mark.req("REC-4")
def test_what_an_assistant_just_wrote_comes_before_a_text_that_says_one_word_of_the_question(
    store: Garage, corpus: Corpus
) -> None:
    corpus.write("garden.md", "Tomatoes like the southern wall of the garden.")
    corpus.ingest()
    corpus.embed()
    uid = remember(store, "Wren keeps the lighthouse keys in the blue jar.", AGENT)
    result = search.search(store, OWNER, SearchRequest("lighthouse keys blue jar garden"))
    assert [hit.memory_id for hit in result.hits] == [uid, None]


@pytest.mark.req("REC-1")
@pytest.mark.req("MEM-7")
def test_a_recall_of_what_is_being_forgotten_returns_it_or_does_not(store: Garage) -> None:
    roomy = with_memory(store, writes_per_minute=10_000)
    done = threading.Event()

    def forget() -> None:
        for _ in range(12):
            uids = [remember(roomy, f"The gauge at the bridge, reading {n}.") for n in range(5)]
            memories.forget_together(roomy, OWNER, uids)
        done.set()

    def ask_on() -> int:
        asked = 0
        while not done.is_set():
            ask(roomy, "the gauge at the bridge")
            asked += 1
        return asked

    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(ask_on) for _ in range(2)]
        pool.submit(forget).result()
        assert sum(each.result() for each in asking) > 0
    assert found(roomy, "the gauge at the bridge") == []
