"""The queue through its doors: worked, followed, stopped in a job, tried again, dropped."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.ops.garage import Garage
from api.ops.handling import Subject
from api.ops.stopping import Stop
from graphstore.errors import InvalidInput
from tests.graph.conftest import rows
from tests.graph.workers import Marker, effects, make_due, queue_all, states
from tests.interaction.conftest import Service

WORK = """mutation ($kinds: [String!]! = [], $budgetS: Float) {
  work(kinds: $kinds, budgetS: $budgetS) { ... on WorkPayload { shift { uid actor state } }
    ... on Problem { code message hint } } }"""
FOLLOW = """subscription ($shift: ID!) { workProgress(shift: $shift) { __typename
  ... on WorkProgress { done total kind document }
  ... on Shift { uid state counts { name number } } ... on Problem { code } } }"""
CANCEL = """mutation ($shift: ID!) { cancelWork(shift: $shift) {
  ... on CancelWorkPayload { shift { uid } } ... on Problem { code hint } } }"""
COUNTS = "counts { queued waiting running failed } "
JOBS = "{ jobs { ... on JobConnection { edges { node { uid kind state documentUri } } } } }"


class Held(Marker):
    """Works a job, unless it is told to hold it until somebody stops it, or to fail."""

    def __init__(self) -> None:
        super().__init__(before=self._wait)
        self.holds = threading.Event()
        self.fails = threading.Event()

    def _wait(self, _subject: Subject, stop: Stop) -> None:
        if self.fails.is_set():
            raise InvalidInput("This text cannot be linked.")
        while self.holds.is_set() and not stop.wait(0.05):
            pass
        stop.check()


@pytest.fixture(scope="module")
def handler() -> Held:
    return Held()


@pytest.fixture(scope="module")
def garage(garage: Garage, handler: Held) -> Garage:
    """The garage of the ring, with something that works its jobs."""
    return replace(garage, handlers=(handler,))


@pytest.fixture
def queued(garage: Garage, service: Service, handler: Held, corpus: Path) -> Iterator[int]:
    """A job for every document; none is left from before."""
    del service, corpus
    rows(garage.graph, "MATCH (j:Job) DETACH DELETE j")
    rows(garage.graph, "MATCH (d:Document) REMOVE d.effects")
    yield queue_all(garage)
    handler.holds.clear()
    handler.fails.clear()


def begin(service: Service, **asked: object) -> str:
    return str(service.data(WORK, asked)["work"]["shift"]["uid"])


def events(service: Service, shift: str) -> Iterator[dict[str, Any]]:
    with (
        service.client() as client,
        client.stream(
            "POST",
            "/graphql",
            json={"query": FOLLOW, "variables": {"shift": shift}},
            headers={"Accept": "text/event-stream"},
        ) as response,
    ):
        for line in response.iter_lines():
            if line.startswith("data: {"):
                yield json.loads(line.removeprefix("data: "))["data"]["workProgress"]


@pytest.mark.req("QUE-1")
def test_work_is_begun_and_followed_to_its_end_and_the_log_says_who(
    service: Service, garage: Garage, queued: int
) -> None:
    *progress, last = events(service, begin(service))
    assert (last["__typename"], last["state"]) == ("Shift", "done")
    assert last["counts"] == [{"name": "done", "number": queued}]
    assert {each["__typename"] for each in progress} == {"WorkProgress"}
    assert effects(garage.graph) == [1] * queued
    assert service.data(JOBS)["jobs"]["edges"] == []
    log = 'log(verb: "work", limit: 1) { ... on ActivityList { items { actor } } }'
    assert service.data(f"{{ {log} }}")["log"]["items"] == [{"actor": "reader"}]


@pytest.mark.req("QUE-1")
@pytest.mark.req("QUE-3")
def test_work_that_is_stopped_in_a_job_gives_it_back_and_the_next_goes_on(
    service: Service, garage: Garage, handler: Held, queued: int
) -> None:
    handler.holds.set()
    shift = begin(service)
    for event in events(service, shift):
        if event["__typename"] == "Shift":
            assert event["state"] == "stopped"
        elif event["document"]:
            assert event["kind"] == "link"
            assert event["document"].startswith("notes:")
            service.data(CANCEL, {"shift": shift})
    assert states(garage.graph) == ["queued"] * queued
    assert effects(garage.graph) == [0] * queued
    again = service.data(CANCEL, {"shift": shift})["cancelWork"]
    assert again["code"] == "NOT_FOUND"
    handler.holds.clear()
    *_, last = events(service, begin(service))
    assert last["state"] == "done"
    assert effects(garage.graph) == [1] * queued


@pytest.mark.req("QUE-1")
def test_jobs_are_listed_tried_again_and_dropped(
    service: Service, garage: Garage, handler: Held, queued: int
) -> None:
    handler.fails.set()
    for _ in range(5):
        *_, last = events(service, begin(service))
        assert last["state"] == "done"
        make_due(garage.graph)
    assert states(garage.graph) == ["failed"] * queued
    edges = service.data(JOBS)["jobs"]["edges"]
    assert {each["node"]["state"] for each in edges} == {"failed"}
    first = edges[0]["node"]["uid"]
    payload = f"{{ ... on JobsPayload {{ jobs {COUNTS}}} ... on Problem {{ code }} }}"
    done = service.data(f'mutation {{ it: retryJobs(jobs: ["{first}"]) {payload} }}')["it"]
    assert (done["jobs"], done["counts"]["queued"]) == (1, 1)
    assert done["counts"]["failed"] == queued - 1
    done = service.data(f"mutation {{ it: dropJobs {payload} }}")["it"]
    assert done["jobs"] == queued - 1
    assert states(garage.graph) == ["queued"]
    handler.fails.clear()
    *_, last = events(service, begin(service))
    assert last["counts"] == [{"name": "done", "number": 1}]


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
@pytest.mark.parametrize(
    ("query", "code", "told"),
    [
        ('work(kinds: ["dream"])', "INVALID_INPUT", "dream"),
        ("work(budgetS: 0)", "INVALID_INPUT", "0 s"),
        ("work(budgetS: 86401)", "INVALID_INPUT", "a day"),
        ('cancelWork(shift: "any")', "NOT_FOUND", "any"),
        ('dropJobs(state: "lost")', "INVALID_INPUT", "lost"),
    ],
)
def test_what_cannot_be_is_said_clearly_and_changes_nothing(
    service: Service, garage: Garage, queued: int, query: str, code: str, told: str
) -> None:
    it = service.data(f"mutation {{ it: {query} {{ ... on Problem {{ code message hint }} }} }}")
    assert it["it"]["code"] == code
    assert told in f"{it['it']['message']} {it['it']['hint']}"
    assert states(garage.graph) == ["queued"] * queued
