"""What the service does by itself: it embeds, it runs maintenance, it notices that it is idle."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import maintenance, search, stats
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from api.ops.search import SearchRequest
from api.ops.settings import MaintenanceSettings, OpsSettings, SearchSettings
from api.serve.worker import Worker
from graphstore import search_log
from graphstore.outcomes import Run
from tests.graph.conftest import OWNER, Corpus
from tests.words import WordEmbedder

BOUND_S = 60.0


def until(is_so: Callable[[], bool]) -> bool:
    """Look again and again, for a bounded time, whether something has come about."""
    looks = threading.Event()
    return any(is_so() or looks.wait(0.05) for _ in range(int(BOUND_S / 0.05)))


@contextmanager
def working(corpus: Corpus, idle_minutes: float = 0.0) -> Generator[tuple[Runs, threading.Event]]:
    """A worker on the corpus's Garage; the event says that it found itself idle."""
    hall, idle = Hall(), threading.Event()
    worker = Worker(hall, idle_minutes, idle.set)
    garage = replace(corpus.garage, wake_embedding=worker.wake)
    runs = Runs(garage, "tests")
    hall.open(Ready(garage, runs))
    worker.start()
    try:
        yield runs, idle
    finally:
        runs.close()
        worker.close()


def ended(runs: Runs, uid: str) -> Run:
    """Follow a run to its end."""
    last = [event for event in runs.follow(uid) if isinstance(event, Run)]
    return last[-1]


@pytest.mark.req("RUN-7")
def test_what_is_ingested_is_embedded_without_being_asked(corpus: Corpus) -> None:
    corpus.write("note.md", "# Note\n\nThe gauge at the bridge.")
    with working(corpus) as (runs, _):
        assert ended(runs, runs.start(OWNER, "notes").uid).counts["stored"] == 1
        assert until(lambda: stats.stats(corpus.garage).pending == 0)


@pytest.mark.req("RUN-7")
def test_a_recovered_embedder_is_asked_again_by_itself(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    soon = OpsSettings(maintenance=MaintenanceSettings(retry_s=0.1))
    corpus = corpus.with_garage(settings=soon)
    corpus.write("note.md", "# Note\n\nThe gauge at the bridge.")
    embedder.is_down = True
    with working(corpus) as (runs, _):
        ended(runs, runs.start(OWNER, "notes").uid)
        assert until(lambda: stats.stats(corpus.garage).models[0].error is not None)
        embedder.is_down = False
        assert until(lambda: stats.stats(corpus.garage).pending == 0)
        assert until(lambda: stats.stats(corpus.garage).models[0].error is None)


@pytest.mark.req("RUN-7")
def test_maintenance_finds_what_changed_by_itself(corpus: Corpus) -> None:
    often = OpsSettings(maintenance=MaintenanceSettings(interval_minutes=0.001))
    corpus = corpus.with_garage(settings=often)
    corpus.write("note.md", "# Note\n\nThe gauge at the bridge.")
    with working(corpus):
        assert until(lambda: stats.stats(corpus.garage).documents == 1)
        corpus.write("more.md", "# More\n\nThe gauge at the weir.")
        assert until(lambda: stats.stats(corpus.garage).documents == 2)


@pytest.mark.req("RUN-7")
def test_a_round_of_maintenance_removes_no_vanished_source_and_forgets_old_searches(
    corpus: Corpus,
) -> None:
    kept = OpsSettings(search=SearchSettings(log_retention_days=30))
    corpus = corpus.with_garage(settings=kept)
    corpus.write("note.md", "# Note\n\nThe gauge at the bridge.")
    corpus.ingest()
    search.search(corpus.garage, OWNER, SearchRequest("gauge"))
    event = search_log.latest(corpus.garage.graph)[0]
    for file in corpus.root.iterdir():
        file.unlink()

    class Later:
        def now(self):
            return event.at + timedelta(days=31)

    later = replace(corpus.garage, clock=Later())
    runs = Runs(later, "tests")
    begun = maintenance.once(later, runs)
    (run,) = begun.runs
    assert ended(runs, run.uid).state == "needs_confirmation"
    assert stats.stats(corpus.garage).documents == 1
    assert begun.purged_searches == 1
    assert search_log.latest(corpus.garage.graph) == ()


@pytest.mark.req("RUN-7")
def test_a_service_that_nobody_needs_says_so_and_one_at_work_does_not(
    corpus: Corpus, embedder: WordEmbedder
) -> None:
    with working(corpus, idle_minutes=1e-6) as (_, idle):
        assert idle.wait(BOUND_S)
    corpus.write("note.md", "# Note\n\nThe gauge at the bridge.")
    corpus.ingest()
    held = threading.Event()

    class Slow(WordEmbedder):
        def _embed(self, text: str):
            assert held.wait(BOUND_S)
            return super()._embed(text)

    slow = corpus.with_garage(embedders=(Slow(),))
    with working(slow, idle_minutes=1e-6) as (_, idle):
        # Three looks of the worker while the embedder is at it.
        assert not idle.wait(3)
        held.set()
        assert idle.wait(BOUND_S)
