"""The queue: a job is taken by one worker at a time, and its effect is written once."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import work
from api.ops.garage import Garage, Stop
from api.ops.work import Request
from graphstore import claims, jobs
from graphstore import documents as stored
from graphstore.claims import Claim, Claimant
from graphstore.clock import new_uid
from graphstore.errors import LeaseLost
from graphstore.jobs import Job
from graphstore.journal import Activity
from graphstore.session import Graph, Row, Transaction
from graphstore.settings import Connection
from tests.graph.conftest import OWNER, Corpus, rows
from tests.graph.workers import (
    CHANGED,
    Marker,
    documents,
    effects,
    expire_leases,
    make_due,
    mark,
    queue,
    queue_all,
    states,
    with_handlers,
)

KINDS = ("link",)
ME = Claimant("tester")
BOUND_S = 60.0


def first(graph: Graph, worker: str = "tester") -> Claim | None:
    return claims.claim(graph, Claimant(worker), KINDS, new_uid(), lambda: 0.5)


def taken(graph: Graph) -> Claim:
    claim = first(graph)
    assert claim is not None
    return claim


def log() -> Activity:
    return Activity(new_uid(), CHANGED, "tester", "work")


def finished(graph: Graph, claim: Claim) -> Activity | None:
    def effect(tx: Transaction, _stamp: Row) -> dict[str, int]:
        uid = tx.run("jobs/subject", uid=claim.uid)[0]["uid"]
        return dict(mark(tx, uid, claim.kind))

    return claims.finish(graph, claim, effect, log(), CHANGED)


@pytest.fixture
def one(corpus: Corpus) -> Garage:
    """A garage with one document that a job is queued for."""
    corpus.write("a.md", "The gauge at the bridge.")
    corpus.ingest()
    queue_all(corpus.garage)
    return corpus.garage


def many(corpus: Corpus, number: int) -> None:
    for each in range(number):
        corpus.write(f"{each:03}.md", f"Note {each} of the gauge at the bridge.")
    corpus.ingest()
    assert queue_all(corpus.garage) == number


@pytest.mark.req("QUE-1")
@pytest.mark.timeout(300)
def test_eight_workers_claim_each_of_200_jobs_once(corpus: Corpus) -> None:
    many(corpus, 200)
    graph = corpus.garage.graph
    start = threading.Barrier(8)

    def drain(number: int) -> list[str]:
        start.wait(BOUND_S)
        mine: list[str] = []
        while claim := first(graph, f"w{number}"):
            mine.append(claim.uid)
        return mine

    with ThreadPoolExecutor(8) as threads:
        claimed = Counter(uid for found in threads.map(drain, range(8)) for uid in found)
    assert len(claimed) == 200
    assert set(claimed.values()) == {1}
    assert states(graph) == ["running"] * 200


@pytest.mark.req("QUE-1")
@pytest.mark.timeout(300)
def test_of_two_that_want_the_same_job_one_gets_it_thirty_times(one: Garage) -> None:
    graph = one.graph
    for _ in range(30):
        start = threading.Barrier(2)

        def race(_: int, start: threading.Barrier = start) -> Claim | None:
            start.wait(BOUND_S)
            return first(graph)

        with ThreadPoolExecutor(2) as threads:
            found = [claim for claim in threads.map(race, range(2)) if claim]
        assert len(found) == 1
        claims.release(graph, found[0])
    assert states(graph) == ["queued"]


@pytest.mark.req("QUE-1")
def test_who_waits_for_the_lock_of_a_job_reads_it_again_and_takes_another(
    corpus: Corpus, neo4j_server: Connection
) -> None:
    many(corpus, 2)
    graph = corpus.garage.graph
    rival, waits = threading.Event(), threading.Event()

    class Late(Graph):
        """A graph whose owner holds the first job, and commits once another waits for it."""

        def _commit(self, transaction):  # type: ignore[no-untyped-def] - as in Graph
            rival.set()
            assert waits.wait(BOUND_S)
            super()._commit(transaction)

    with Late(neo4j_server) as late, ThreadPoolExecutor(2) as threads:
        slow = threads.submit(first, late)
        assert rival.wait(BOUND_S)
        quick = threads.submit(first, graph)
        waiting = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
        with graph.driver.session(database=graph.database) as session:
            for _ in range(600):
                if session.run(waiting).data():
                    break
                threading.Event().wait(0.05)
        waits.set()
        one_claim, other = slow.result(BOUND_S), quick.result(BOUND_S)
    assert one_claim is not None
    assert other is not None
    assert one_claim.uid != other.uid


@pytest.mark.req("QUE-1")
def test_a_job_is_pending_once_and_moves_forward_when_it_is_asked_for_sooner(one: Garage) -> None:
    graph = one.graph
    ((uid, sha),) = documents(graph)
    queue(graph, [Job(new_uid(), "link", uid, sha, 5), Job(new_uid(), "link", uid, sha, 7)])
    assert rows(graph, "MATCH (j:Job) RETURN j.rank AS rank") == [{"rank": 7}]
    queue(graph, [Job(new_uid(), "link", uid, sha, 9)])
    assert rows(graph, "MATCH (j:Job) RETURN j.rank AS rank") == [{"rank": 7}]
    claim = taken(graph)
    finished(graph, claim)
    queue(graph, [Job(new_uid(), "link", uid, sha, 5)])
    assert states(graph) == ["done", "queued"]


@pytest.mark.req("QUE-1")
@pytest.mark.req("QUE-3")
@pytest.mark.campaign("C54", part=True)
def test_a_worker_that_comes_back_after_its_lease_writes_nothing(one: Garage) -> None:
    graph = one.graph
    frozen = taken(graph)
    expire_leases(graph)
    assert claims.tidy(graph, CHANGED) == 1
    other = taken(graph)
    assert (other.uid, other.attempts) == (frozen.uid, 2)
    with pytest.raises(LeaseLost):
        finished(graph, frozen)
    with pytest.raises(LeaseLost):
        claims.renew(graph, frozen)
    claims.release(graph, frozen)
    claims.defer(graph, frozen, 30, "late", counts=True)
    claims.fail(graph, frozen, "late", CHANGED)
    claims.discard(graph, frozen)
    assert states(graph) == ["running"]
    assert finished(graph, other) is not None
    assert effects(graph) == [1]
    with pytest.raises(LeaseLost):
        finished(graph, frozen)
    assert effects(graph) == [1]


@pytest.mark.req("QUE-3")
@pytest.mark.campaign("C54", part=True)
def test_a_late_commit_waits_at_the_fence_for_who_reclaims_and_then_writes_nothing(
    one: Garage, neo4j_server: Connection
) -> None:
    graph = one.graph
    frozen = taken(graph)
    expire_leases(graph)
    locked, go = threading.Event(), threading.Event()

    class Reclaiming(Graph):
        def _commit(self, transaction):  # type: ignore[no-untyped-def] - as in Graph
            if not locked.is_set():
                locked.set()
                assert go.wait(BOUND_S)
            super()._commit(transaction)

    with Reclaiming(neo4j_server) as reclaiming, ThreadPoolExecutor(2) as threads:
        tidied = threads.submit(claims.tidy, reclaiming, CHANGED)
        assert locked.wait(BOUND_S)
        late = threads.submit(finished, graph, frozen)
        go.set()
        tidied.result(BOUND_S)
        # Whichever came first, at most one of them is true, and the effect is there once or never.
        try:
            late.result(BOUND_S)
            was_written = True
        except LeaseLost:
            was_written = False
    assert effects(graph) == [int(was_written)]
    assert states(graph) == (["done"] if was_written else ["queued"])


@pytest.mark.req("QUE-1")
@pytest.mark.timeout(300)
def test_each_effect_is_written_once_though_leases_run_out_in_the_middle(corpus: Corpus) -> None:
    many(corpus, 60)
    garage = with_handlers(corpus.garage, Marker())
    graph = garage.graph
    abandoned = [taken(graph) for _ in range(10)]
    stop = threading.Event()

    def reclaim() -> None:
        while not stop.is_set():
            expire_leases(graph)
            claims.tidy(graph, CHANGED)

    with ThreadPoolExecutor(1) as threads:
        disturbing = threads.submit(reclaim)
        worked = work.work(garage, OWNER, Request(workers=4))
        stop.set()
        disturbing.result(BOUND_S)
    work.work(garage, OWNER, Request())
    for claim in abandoned:
        with pytest.raises(LeaseLost):
            finished(graph, claim)
    # A job may fail when its lease was taken from it five times; its effect is not there then.
    failed = states(graph).count("failed")
    assert sorted(effects(graph)) == [0] * failed + [1] * (60 - failed)
    assert worked.state == "done"


@pytest.mark.req("QUE-1")
def test_a_job_whose_text_changed_is_dropped_and_the_new_text_has_its_own(corpus: Corpus) -> None:
    corpus.write("a.md", "The gauge at the bridge.")
    corpus.ingest()
    marker = Marker()
    garage = with_handlers(corpus.garage, marker)
    queue_all(garage)
    corpus.write("a.md", "The gauge at the weir.")
    corpus.ingest()
    queue_all(garage)
    worked = work.work(garage, OWNER, Request())
    assert dict(worked.counts) == {"stale": 1, "done": 1}
    assert marker.texts == {"notes:a.md": "The gauge at the weir."}
    assert effects(garage.graph) == [1]
    assert states(garage.graph) == ["done"]


@pytest.mark.req("QUE-1")
def test_a_text_that_changes_while_it_is_worked_on_gets_nothing_of_the_old_one(
    corpus: Corpus,
) -> None:
    corpus.write("a.md", "The gauge at the bridge.")
    corpus.ingest()

    def edit(*_: object) -> None:
        corpus.write("a.md", "The gauge at the weir.")
        corpus.ingest()

    garage = with_handlers(corpus.garage, Marker(before=edit))
    queue_all(garage)
    assert dict(work.work(garage, OWNER, Request()).counts) == {"stale": 1}
    assert effects(garage.graph) == [0]
    assert states(garage.graph) == []


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C56", part=True)
def test_a_document_that_is_removed_while_it_is_worked_on_ends_the_job_quietly(
    corpus: Corpus,
) -> None:
    file = corpus.write("a.md", "The gauge at the bridge.")
    corpus.write("b.md", "The gauge at the weir.")
    corpus.ingest()

    def remove(*_: object) -> None:
        file.unlink(missing_ok=True)
        corpus.ingest(confirm=True)

    garage = with_handlers(corpus.garage, Marker(before=remove))
    queue_all(garage)
    counts = dict(work.work(garage, OWNER, Request()).counts)
    assert sum(counts.values()) == 2
    assert counts["done"] == 1
    assert rows(garage.graph, "MATCH (d:Document) RETURN d.uri AS uri") == [{"uri": "notes:b.md"}]
    assert states(garage.graph) == ["done"]


@pytest.mark.req("QUE-1")
def test_a_job_that_is_dropped_while_it_runs_writes_nothing(corpus: Corpus) -> None:
    corpus.write("a.md", "The gauge at the bridge.")
    corpus.ingest()
    graph = corpus.garage.graph

    def drop(*_: object) -> None:
        rows(graph, "MATCH (j:Job) DETACH DELETE j")

    garage = with_handlers(corpus.garage, Marker(before=drop))
    queue_all(garage)
    assert dict(work.work(garage, OWNER, Request()).counts) == {"lost": 1}
    assert effects(graph) == [0]


@pytest.mark.req("QUE-1")
def test_an_older_claim_whose_reply_was_lost_is_not_forgotten(one: Garage) -> None:
    graph = one.graph
    tries: list[int] = []

    class Lossy(Graph):
        """Commits, and then hears nothing of it, the first time."""

        def _once(self, unit, timeout_s):  # type: ignore[no-untyped-def] - as in Graph
            done = super()._once(unit, timeout_s)
            tries.append(1)
            return super()._once(unit, timeout_s) if len(tries) == 1 else done

    lossy = object.__new__(Lossy)
    lossy.__dict__.update(graph.__dict__)
    claim = claims.claim(lossy, ME, KINDS, new_uid(), lambda: 0.5)
    assert claim is not None
    assert states(graph) == ["running"]
    tries.clear()
    assert finished(lossy, claim) is not None
    assert states(graph) == ["done"]


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C64", part=True)
@pytest.mark.parametrize("days", [-1, 3_650])
def test_a_worker_whose_clock_is_wrong_holds_its_lease_all_the_same(one: Garage, days: int) -> None:
    graph = one.graph
    now = one.clock.now() + timedelta(days=days)
    claim = taken(graph)
    assert claims.tidy(graph, now) == 0
    claims.renew(graph, claim)
    assert claims.finish(graph, claim, lambda _tx, _stamp: {}, log(), now) is not None
    assert states(graph) == ["done"]


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C64", part=True)
def test_a_jump_of_the_databases_clock_ends_a_lease_early_and_the_fence_holds(one: Garage) -> None:
    graph = one.graph
    claim = taken(graph)
    # Its clock is ahead by ten years: the lease is over at once.
    rows(graph, "MATCH (j:Running) SET j.lease_until = j.lease_until - duration('P10Y')")
    assert claims.tidy(graph, CHANGED) == 1
    again = taken(graph)
    with pytest.raises(LeaseLost):
        finished(graph, claim)
    assert finished(graph, again) is not None
    assert effects(graph) == [1]


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C53", part=True)
@pytest.mark.timeout(300)
def test_two_services_on_one_graph_share_the_work_and_none_starves(
    corpus: Corpus, neo4j_server: Connection
) -> None:
    many(corpus, 120)
    counted: list[int] = []
    start = threading.Barrier(2)

    def serve(graph: Graph) -> Marker:
        marker = Marker()
        garage = replace(with_handlers(corpus.garage, marker), graph=graph)
        start.wait(BOUND_S)
        work.work(garage, OWNER, Request(workers=4))
        return marker

    with (
        Graph(neo4j_server) as one_graph,
        Graph(neo4j_server) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        for marker in threads.map(serve, (one_graph, other)):
            counted.append(len(marker.seen))
    assert sum(counted) == 120
    assert min(counted) > 0
    assert effects(corpus.garage.graph) == [1] * 120


@pytest.mark.req("QUE-1")
def test_a_purge_forgets_what_was_done_long_ago_and_nothing_else(corpus: Corpus) -> None:
    from graphstore import queue_care

    many(corpus, 3)
    graph = corpus.garage.graph
    finished(graph, taken(graph))
    claims.fail(graph, taken(graph), "broken", CHANGED)
    assert queue_care.purge(graph, CHANGED) == 0
    assert queue_care.purge(graph, CHANGED + timedelta(seconds=1)) == 1
    assert states(graph) == ["failed", "queued"]


@pytest.mark.req("QUE-1")
def test_jobs_go_with_their_document(one: Garage, corpus: Corpus) -> None:
    taken(one.graph)
    uids = [uid for uid, _ in documents(one.graph)]
    stamp = {"now": CHANGED, "version": 1}
    one.graph.write(lambda tx: stored.remove(tx, uids, stamp))
    assert jobs.counts(one.graph) == jobs.Counts(0, 0, 0, 0)
    assert states(one.graph) == []


def test_what_is_stopped_loses_no_attempt(one: Garage) -> None:
    stop = Stop()

    def interrupted(_: object, inner: Stop) -> None:
        stop.set()
        inner.check()

    garage = with_handlers(one, Marker(before=interrupted))
    worked = work.work(garage, OWNER, Request(stop=stop))
    assert (worked.state, dict(worked.counts)) == ("stopped", {"stopped": 1})
    assert rows(one.graph, "MATCH (j:Queued) RETURN j.attempts AS n") == [{"n": 0}]
    make_due(one.graph)
