"""Work: the queue is worked in its order, what fails waits longer each time, and a stop ends it."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import jobs as ops
from api.ops import order, search, store, work
from api.ops.garage import Garage, Stop
from api.ops.handling import Subject
from api.ops.search import SearchRequest
from api.ops.settings import WorkSettings
from api.ops.store import StoreRequest
from api.ops.work import Progress, Request
from extraction.errors import ProviderBusy
from graphstore import claims, jobs, queue_care
from graphstore.clock import new_uid
from graphstore.errors import Cancelled, InvalidInput, TooLarge, Unavailable
from graphstore.jobs import Job
from tests.graph.conftest import OWNER, Corpus, rows
from tests.graph.workers import (
    CHANGED,
    Marker,
    documents,
    effects,
    make_due,
    queue,
    queue_all,
    states,
    with_handlers,
)

BOUND_S = 60.0


def notes(corpus: Corpus, number: int = 1) -> Garage:
    for each in range(number):
        corpus.write(f"{each}.md", f"Note {each} of the gauge at the bridge.")
    corpus.ingest()
    queue_all(corpus.garage)
    return replace(corpus.garage, chance=lambda: 0.5)


def raising(error: Exception) -> Callable[[Subject, Stop], None]:
    def before(_subject: Subject, _stop: Stop) -> None:
        raise error

    return before


def pause_s(garage: Garage) -> float:
    """Return how long the one waiting job waits, to the second."""
    (row,) = rows(
        garage.graph,
        "MATCH (j:Waiting) "
        "RETURN duration.inSeconds(datetime.realtime(), j.run_after).seconds AS n",
    )
    return float(str(row["n"]))


@pytest.mark.req("QUE-1")
def test_a_handler_is_given_the_whole_text_and_its_result_is_in_the_log(corpus: Corpus) -> None:
    text = "# Gauges\n\n" + "The gauge at the bridge. " * 300
    corpus.write("a.md", text)
    corpus.ingest()
    marker = Marker()
    garage = with_handlers(corpus.garage, marker)
    queue_all(garage)
    seen: list[Progress] = []
    worked = work.work(garage, OWNER, Request(report=seen.append))
    assert (worked.state, dict(worked.counts)) == ("done", {"done": 1})
    assert marker.texts == {"notes:a.md": text}
    assert [(e.done, e.total, e.kind, e.document) for e in seen] == [
        (0, 1, "link", "notes:a.md"),
        (1, 1, "", ""),
    ]
    (entry,) = rows(
        garage.graph,
        "MATCH (a:Activity {verb: 'work'})-[:TOUCHED]->(d) "
        "RETURN a.actor AS actor, a.counts AS counts, d.uri AS uri",
    )
    assert entry == {
        "actor": "tester", "counts": '{"effects": 1, "link jobs": 1}', "uri": "notes:a.md",
    }  # fmt: skip


@pytest.mark.req("QUE-1")
def test_while_a_provider_is_away_jobs_wait_and_lose_no_attempt(corpus: Corpus) -> None:
    garage = notes(corpus, 3)
    marker = Marker(before=raising(Unavailable("The model's server is away.")))
    garage = with_handlers(garage, marker)
    for expected in (30, 60, 120):
        worked = work.work(garage, OWNER, Request())
        # The kind rests after the first: not every job has to meet the same.
        assert dict(worked.counts) == {"deferred": 1}
        (job,) = jobs.listed(garage.graph, "waiting", None, jobs.FIRST, 10)
        assert (job.attempts, job.error) == (0, "The model's server is away.")
        assert pause_s(garage) == pytest.approx(expected, abs=2)
        # It comes first again.
        rows(garage.graph, "MATCH (j:Waiting) SET j.rank = 0")
        make_due(garage.graph)
    marker.before = lambda _subject, _stop: None
    assert dict(work.work(garage, OWNER, Request()).counts) == {"done": 3}
    assert effects(garage.graph) == [1, 1, 1]


@pytest.mark.req("QUE-1")
def test_a_provider_that_asks_for_time_is_given_it(corpus: Corpus) -> None:
    busy = ProviderBusy("The model's server is busy.", retry_after_s=500)
    garage = with_handlers(notes(corpus), Marker(before=raising(busy)))
    work.work(garage, OWNER, Request())
    assert pause_s(garage) == pytest.approx(500, abs=2)


@pytest.mark.req("QUE-1")
def test_where_a_model_is_away_all_that_ask_one_rest_and_the_others_work(corpus: Corpus) -> None:
    garage = notes(corpus)
    queue_all(garage, "distil")
    queue_all(garage, "sum")
    away = raising(Unavailable("The model's server is away."))
    handlers = (Marker("distil", True, away), Marker("sum", True, away), Marker("link"))
    garage = with_handlers(garage, *handlers)
    worked = work.work(garage, OWNER, Request())
    assert dict(worked.counts) == {"done": 1, "deferred": 1}
    assert len(handlers[0].seen) + len(handlers[1].seen) == 1


@pytest.mark.req("QUE-1")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TooLarge("It has too many links.", hint="Split it."), "It has too many links. Split it."),
        (ValueError("a secret of the text"), "Something failed inside Garage."),
    ],
)
def test_what_fails_is_tried_five_times_and_then_given_up(
    corpus: Corpus, error: Exception, told: str
) -> None:
    marker = Marker(before=raising(error))
    garage = with_handlers(notes(corpus), marker)
    for _ in range(4):
        assert dict(work.work(garage, OWNER, Request()).counts) == {"deferred": 1}
        make_due(garage.graph)
    assert dict(work.work(garage, OWNER, Request()).counts) == {"failed": 1}
    assert dict(work.work(garage, OWNER, Request()).counts) == {}
    (job,) = jobs.listed(garage.graph, "failed", None, jobs.FIRST, 10)
    assert job.attempts == 5
    assert (job.error or "").startswith(told)
    assert "secret" not in (job.error or "")
    # Its key is free: the same work may be asked for again.
    marker.before = lambda _subject, _stop: None
    assert ops.retry(garage, OWNER, ops.chosen((), None, None)) == 1
    assert dict(work.work(garage, OWNER, Request()).counts) == {"done": 1}
    assert effects(garage.graph) == [1]


@pytest.mark.req("QUE-1")
def test_a_worker_that_dies_five_times_at_a_job_is_the_last_to_try_it(corpus: Corpus) -> None:
    garage = notes(corpus)
    for _ in range(5):
        me = claims.Claimant("dying", lease_s=0)
        assert claims.claim(garage.graph, me, ("link",), new_uid(), lambda: 0.0)
        assert claims.tidy(garage.graph, CHANGED) == 1
    (job,) = jobs.listed(garage.graph, "failed", None, jobs.FIRST, 10)
    assert "worker ended" in (job.error or "")
    assert claims.claim(garage.graph, claims.Claimant("x"), ("link",), "t", lambda: 0.0) is None


@pytest.mark.req("QUE-1")
def test_the_budget_ends_the_work_between_jobs_and_within_one(corpus: Corpus) -> None:
    garage = notes(corpus, 3)
    marker = Marker()
    garage = with_handlers(garage, marker)
    worked = work.work(garage, OWNER, Request(budget_s=0))
    assert (worked.state, dict(worked.counts)) == ("out_of_time", {})

    def endless(_: Subject, stop: Stop) -> None:
        for _round in range(int(BOUND_S / 0.01)):
            stop.check()
            threading.Event().wait(0.01)

    marker.before = endless
    worked = work.work(garage, OWNER, Request(budget_s=0.2))
    assert (worked.state, dict(worked.counts)) == ("out_of_time", {"stopped": 1})
    assert states(garage.graph) == ["queued"] * 3


@pytest.mark.req("QUE-1")
def test_a_stop_is_heard_within_a_job_and_the_next_run_goes_on(corpus: Corpus) -> None:
    garage = notes(corpus, 5)
    stop = Stop()
    marker = Marker()

    def third(_: Subject, inner: Stop) -> None:
        if len(marker.seen) == 3:
            stop.set()
            inner.check()

    marker.before = third
    garage = with_handlers(garage, marker)
    worked = work.work(garage, OWNER, Request(stop=stop))
    assert (worked.state, dict(worked.counts)) == ("stopped", {"done": 2, "stopped": 1})
    assert dict(work.work(garage, OWNER, Request()).counts) == {"done": 3}
    assert effects(garage.graph) == [1] * 5


@pytest.mark.req("QUE-1")
def test_a_lease_is_renewed_while_a_job_takes_its_time_and_its_loss_is_heard(
    corpus: Corpus,
) -> None:
    garage = notes(corpus)
    graph = garage.graph
    leases: list[object] = []

    def slow(_: Subject, stop: Stop) -> None:
        read = "MATCH (j:Running) RETURN j.lease_until AS until"
        first = rows(graph, read)
        for _round in range(int(BOUND_S / 0.01)):
            if rows(graph, read) != first:
                break
            threading.Event().wait(0.01)
        leases.append(rows(graph, read) != first)
        rows(graph, "MATCH (j:Running) SET j.token = 'of another'")
        for _round in range(int(BOUND_S / 0.01)):
            stop.check()
            threading.Event().wait(0.01)

    garage = with_handlers(garage, Marker(before=slow))
    worked = work.work(garage, OWNER, Request(renew_s=0.02))
    assert leases == [True]
    assert sum(worked.counts.values()) == 1
    assert effects(graph) == [0]
    assert states(graph) == ["running"]


@pytest.mark.req("QUE-1")
def test_kinds_that_nothing_works_stay_in_the_queue_and_are_told(corpus: Corpus) -> None:
    garage = with_handlers(notes(corpus), Marker())
    done = store.store(garage, OWNER, StoreRequest("The gauge rose in May."))
    assert "Nothing works jobs of the kind 'distil' here" in done.notes[-1]
    assert dict(work.work(garage, OWNER, Request()).counts) == {"done": 1}
    standing = ops.standing(garage)
    assert standing.unworked == ("distil",)
    assert standing.counts == jobs.Counts(queued=1, waiting=0, running=0, failed=0)
    with pytest.raises(InvalidInput, match="Nothing works jobs of the kind 'distil'"):
        work.work(garage, OWNER, Request(kinds=("distil",)))
    none = with_handlers(garage)
    assert dict(work.work(none, OWNER, Request()).counts) == {}


@pytest.mark.req("QUE-2", part=True)
def test_what_others_rest_on_comes_first_and_then_what_is_warm(corpus: Corpus) -> None:
    settings = WorkSettings()
    for each in range(4):
        corpus.write(f"{each}.md", f"Note {each} of the gauge number{each}.")
    corpus.ingest()
    now = corpus.garage.clock.now()
    wanted: list[Job] = []
    for age, (uid, sha) in enumerate(documents(corpus.garage.graph)):
        heat = order.heat(now - timedelta(days=10 * age), "authored", now, settings)
        for kind in ("distil", "link"):
            wanted.append(
                Job(new_uid(), kind, uid, sha, order.rank(order.band(kind), heat, now, settings))
            )
    queue(corpus.garage.graph, wanted)
    # A search finds the oldest, again and again.
    for _ in range(4):
        search.search(corpus.garage, OWNER, SearchRequest("number3", limit=1))
    assert ops.warm(corpus.garage) == 2
    assert ops.warm(corpus.garage) in {0, 2}
    seen: list[tuple[str, str]] = []
    handlers = [Marker("distil"), Marker("link")]
    for handler in handlers:
        handler.before = lambda subject, _stop, kind=handler.kind: seen.append(
            (kind, subject.document.path)
        )
    work.work(with_handlers(corpus.garage, *handlers), OWNER, Request())
    paths = ["3.md", "0.md", "1.md", "2.md"]
    assert seen == [(kind, path) for kind in ("link", "distil") for path in paths]


@pytest.mark.req("QUE-1")
def test_jobs_are_listed_in_the_order_of_work_a_page_at_a_time(corpus: Corpus) -> None:
    garage = notes(corpus, 5)
    page = ops.listed(garage, None, None, 3, None)
    assert [job.about.uri for job in page.jobs if job.about] == [f"notes:{n}.md" for n in range(3)]
    rest = ops.listed(garage, None, None, 3, page.next_cursor)
    assert [job.about.uri for job in rest.jobs if job.about] == ["notes:3.md", "notes:4.md"]
    assert rest.next_cursor is None
    assert ops.listed(garage, "failed", None, 3, None).jobs == ()
    assert ops.listed(garage, "queued", "distil", 3, None).jobs == ()
    assert len(ops.listed(garage, "queued", "link", 9, None).jobs) == 5
    for wrong in ({"state": "lost"}, {"first": 0}, {"after": "x"}):
        asked = {"state": None, "kind": None, "first": 1, "after": None, **wrong}
        with pytest.raises(InvalidInput):
            ops.listed(garage, **asked)  # type: ignore[arg-type] - wrong on purpose


@pytest.mark.req("QUE-1")
def test_jobs_are_dropped_by_name_or_by_state_and_the_log_says_who(corpus: Corpus) -> None:
    garage = notes(corpus, 4)
    first = ops.listed(garage, None, None, 1, None).jobs[0]
    assert ops.drop(garage, OWNER, ops.chosen((first.uid,), None, None)) == 1
    assert ops.drop(garage, OWNER, ops.chosen((), "failed", None)) == 0
    assert ops.drop(garage, OWNER, ops.chosen((), "queued", "distil")) == 0
    assert ops.drop(garage, OWNER, ops.chosen((), "queued", "link")) == 3
    assert states(garage.graph) == []
    query = "MATCH (a:Activity {verb: 'drop-jobs'}) RETURN a.counts AS c ORDER BY a.uid"
    assert rows(garage.graph, query) == [{"c": '{"jobs": 1}'}, {"c": '{"jobs": 3}'}]


@pytest.mark.req("QUE-1")
def test_a_retry_of_the_same_work_that_failed_twice_leaves_one_job(corpus: Corpus) -> None:
    garage = notes(corpus)
    for _ in range(2):
        claim = claims.claim(garage.graph, claims.Claimant("x"), ("link",), new_uid(), lambda: 0.0)
        assert claim
        claims.fail(garage.graph, claim, "broken", CHANGED)
        queue_all(garage)
    assert states(garage.graph) == ["failed", "failed", "queued"]
    queue_care.retry(garage.graph, ops.chosen((), None, None), _log(garage))
    assert states(garage.graph) == ["queued"]


def _log(garage: Garage):
    from api.ops.garage import activity

    return activity(garage, OWNER, "retry-jobs")


@pytest.mark.req("QUE-1")
def test_a_handler_that_is_cancelled_by_itself_gives_its_job_back(corpus: Corpus) -> None:
    garage = with_handlers(notes(corpus), Marker(before=raising(Cancelled("Stopped."))))
    stop = Stop()
    counts: list[int] = []

    def report(progress: Progress) -> None:
        counts.append(progress.done)
        stop.set()

    work.work(garage, OWNER, Request(stop=stop, report=report))
    assert states(garage.graph) == ["queued"]
