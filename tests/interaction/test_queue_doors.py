"""The doors of the queue: worked, followed, stopped and looked after, by GraphQL and by command."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.ops.garage import Garage
from api.ops.handling import Subject
from api.ops.stopping import Stop
from graphstore import claims
from graphstore.clock import new_uid
from graphstore.session import Graph
from tests.graph.conftest import rows
from tests.graph.workers import CHANGED, Marker, effects, queue_all, states
from tests.interaction.conftest import Service
from tests.interaction.homes import Home
from tests.interaction.test_cli_service import terminal

BOUND_S = 60.0
ASKED: dict[str, tuple[str, ...]] = {
    "work": ("kinds", "budgetS"),
    "cancelWork": ("shift",),
    "retryJobs": ("jobs", "kind"),
    "dropJobs": ("jobs", "state", "kind"),
}
"""Every mutation of the queue, with its arguments."""
FOLLOW = (
    "subscription ($shift: ID!) { workProgress(shift: $shift) { __typename "
    "... on WorkProgress { done total kind document counts { name number } } "
    "... on Shift { uid actor state startedAt finishedAt message counts { name number } } "
    "... on Problem { code } } }"
)
JOBS = (
    "query ($state: String, $kind: String, $first: Int! = 100, $after: String) { "
    "jobs(state: $state, kind: $kind, first: $first, after: $after) { "
    "... on JobConnection { pageInfo { hasNextPage endCursor } edges { node { id uid kind state "
    "documentUid documentUri title attempts createdAt runAfter leaseUntil finishedAt worker error "
    "} } } ... on Problem { code } } }"
)
ADDRESSES = {"notes:garden.md", "notes:html/page.html", "notes:river.md"}


class Gate:
    """Holds every job within, until it is opened or the work is asked to stop."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, _subject: Subject, stop: Stop) -> None:
        self.reached.set()
        for _round in range(int(BOUND_S / 0.01)):
            stop.check()
            if self.opened.wait(0.01):
                return


@pytest.fixture(scope="module")
def marker() -> Marker:
    return Marker()


@pytest.fixture(scope="module")
def garage(garage: Garage, marker: Marker) -> Garage:
    """One whose queue is worked."""
    return replace(garage, handlers=(marker, Marker("distil")))


@pytest.fixture
def queued(service: Service, garage: Garage, marker: Marker) -> Service:
    """A service with a job for each of its three documents."""
    rows(garage.graph, "MATCH (j:Job) DETACH DELETE j")
    rows(garage.graph, "MATCH (d:Document) REMOVE d.effects")
    marker.before = lambda _subject, _stop: None
    marker.seen.clear()
    queue_all(garage)
    return service


@pytest.fixture
def home(queued: Service, tmp_path: Path) -> Home:
    """The command line, in a folder whose service is the one of the test."""
    data = tmp_path / "data"
    data.mkdir()
    tokens = data / "service.token"
    tokens.write_text(json.dumps({"owner": queued.auth.owner_secret}), encoding="utf-8")
    record = {
        "pid": os.getpid(),
        "started_at": 0.0,
        "port": queued.port,
        "token_file": str(tokens),
        "version": "0",
    }
    (data / "service.json").write_text(json.dumps(record), encoding="utf-8")
    named = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GARAGE_DATA": str(data)}
    return Home(tmp_path, {**named, "LANG": "C.UTF-8"})


def ask(service: Service, field: str) -> dict[str, Any]:
    """Return the answer of one field, with what it says when it refuses."""
    kind = "query" if field.startswith(("jobs", "queue")) else "mutation"
    payload = {
        "work": "... on WorkPayload { shift { uid actor state } }",
        "canc": "... on CancelWorkPayload { shift { uid state } }",
        "jobs": "__typename",
        "queu": "... on Queue { counts { queued failed } kinds { kind state number } unworked }",
    }.get(field[:4], "... on JobsPayload { jobs counts { queued waiting running failed } }")
    problem = "... on Problem { code message hint }"
    return service.data(f"{kind} {{ it: {field} {{ {payload} {problem} }} }}")["it"]


def events(service: Service, shift: str) -> Iterator[dict[str, Any]]:
    """Yield what a follower of some work hears."""
    body = {"query": FOLLOW, "variables": {"shift": shift}}
    accept = {"Accept": "text/event-stream"}
    with (
        service.client() as client,
        client.stream("POST", "/graphql", json=body, headers=accept) as response,
    ):
        for line in response.iter_lines():
            if line.startswith("data: {"):
                yield json.loads(line.removeprefix("data: "))["data"]["workProgress"]


def worked(service: Service, arguments: str = "") -> dict[str, Any]:
    """Work the queue and return how that ended."""
    begun = ask(service, f"work{arguments}")["shift"]["uid"]
    return list(events(service, begun))[-1]


def listed(service: Service, **arguments: Any) -> list[dict[str, Any]]:
    edges = service.data(JOBS, arguments)["jobs"]["edges"]
    return [edge["node"] for edge in edges]


def give_up(graph: Graph, number: int, kind: str = "link") -> None:
    """Have the first jobs fail."""
    for _ in range(number):
        claim = claims.claim(graph, claims.Claimant("w"), (kind,), new_uid(), lambda: 0.0)
        assert claim
        claims.fail(graph, claim, "It has too many links.", CHANGED)


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
def test_work_is_begun_and_followed_job_by_job_to_its_end(
    queued: Service, garage: Garage, marker: Marker
) -> None:
    marker.before = gate = Gate()
    begun = ask(queued, 'work(kinds: ["link"], budgetS: 600)')["shift"]
    assert (begun["actor"], begun["state"]) == ("reader", "running")
    seen: list[dict[str, Any]] = []
    for event in events(queued, begun["uid"]):
        seen.append(event)
        gate.opened.set()  # no job ends before somebody listens
    *progress, last = seen
    assert {1, 2, 3} <= {event["done"] for event in progress}
    assert {event["total"] for event in progress if event["done"]} == {3}
    at_hand = {event["document"] for event in progress} - {""}
    assert at_hand
    assert at_hand <= ADDRESSES
    assert {event["kind"] for event in progress if event["document"]} == {"link"}
    assert (last["__typename"], last["uid"], last["state"]) == ("Shift", begun["uid"], "done")
    assert last["counts"] == [{"name": "done", "number": 3}]
    assert effects(garage.graph) == [1, 1, 1]
    assert list(events(queued, begun["uid"]))[-1] == last
    assert list(events(queued, "none")) == [{"__typename": "NotFound", "code": "NOT_FOUND"}]


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
def test_work_keeps_to_the_kinds_and_the_time_that_it_is_given(
    queued: Service, garage: Garage, marker: Marker
) -> None:
    queue_all(garage, "distil")
    assert worked(queued, '(kinds: ["distil"])')["counts"] == [{"name": "done", "number": 3}]
    assert {job["kind"] for job in listed(queued)} == {"link"}
    marker.before = Gate()
    assert worked(queued, "(budgetS: 0.2)")["state"] == "out_of_time"
    assert [job["state"] for job in listed(queued)] == ["queued"] * 3


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
def test_work_that_is_cancelled_within_a_job_goes_on_with_it_later(
    queued: Service, garage: Garage, marker: Marker
) -> None:
    marker.before = gate = Gate()
    begun = ask(queued, "work")["shift"]["uid"]
    assert gate.reached.wait(BOUND_S)
    assert ask(queued, f'cancelWork(shift: "{begun}")')["shift"]["uid"] == begun
    last = list(events(queued, begun))[-1]
    assert (last["state"], {each["name"] for each in last["counts"]}) == ("stopped", {"stopped"})
    assert [(job["state"], job["attempts"]) for job in listed(queued)] == [("queued", 0)] * 3
    assert ask(queued, f'cancelWork(shift: "{begun}")')["code"] == "NOT_FOUND"
    marker.before = lambda _subject, _stop: None
    assert worked(queued)["counts"] == [{"name": "done", "number": 3}]
    assert effects(garage.graph) == [1, 1, 1]


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
def test_jobs_are_listed_and_paged_and_each_is_found_again(queued: Service, garage: Garage) -> None:
    give_up(garage.graph, 1)
    page = queued.data(JOBS, {"first": 2})["jobs"]
    assert page["pageInfo"]["hasNextPage"]
    rest = listed(queued, after=page["pageInfo"]["endCursor"])
    both = [edge["node"] for edge in page["edges"]] + rest
    assert {job["documentUri"] for job in both} == ADDRESSES
    assert listed(queued) == both
    (failed,) = listed(queued, state="failed", kind="link")
    assert (failed["attempts"], failed["error"]) == (1, "It has too many links.")
    assert len(listed(queued, state="queued")) == 2
    assert listed(queued, kind="distil") == []
    query = "query ($id: ID!) { node(id: $id) { ... on Job { uid title } } }"
    found = queued.data(query, {"id": failed["id"]})["node"]
    assert found == {"uid": failed["uid"], "title": failed["title"]}
    assert ask(queued, "queue") == {
        "counts": {"queued": 2, "failed": 1},
        "kinds": [
            {"kind": "link", "state": "failed", "number": 1},
            {"kind": "link", "state": "queued", "number": 2},
        ],
        "unworked": [],
    }


@pytest.mark.req("QUE-1")
@pytest.mark.req("GQL-1", part=True)
def test_jobs_are_tried_again_or_dropped_by_name_by_state_or_by_kind(
    queued: Service, garage: Garage
) -> None:
    queue_all(garage, "distil")
    give_up(garage.graph, 3)
    give_up(garage.graph, 3, "distil")
    named, *_ = listed(queued, state="failed", kind="link")
    assert ask(queued, f'retryJobs(jobs: ["{named["id"]}"])')["jobs"] == 1
    assert [job["uid"] for job in listed(queued, state="queued")] == [named["uid"]]
    assert ask(queued, f'retryJobs(jobs: ["{named["uid"]}"])')["jobs"] == 0  # it is in the queue
    tried = ask(queued, 'retryJobs(kind: "link")')
    counts = {"queued": 3, "waiting": 0, "running": 0, "failed": 3}
    assert tried == {"jobs": 2, "counts": counts}
    assert ask(queued, f'dropJobs(jobs: ["{named["uid"]}"])')["jobs"] == 1
    assert ask(queued, 'dropJobs(kind: "link")')["jobs"] == 0  # of those, none failed
    assert ask(queued, 'dropJobs(state: "queued", kind: "link")')["jobs"] == 2
    assert ask(queued, "dropJobs")["jobs"] == 3
    assert states(garage.graph) == []


WRONG = {
    'jobs(state: "lost")': "state is 'lost'",
    'jobs(kind: "lost")': "kind is 'lost'",
    "jobs(first: 0)": "first is 0",
    'jobs(after: "lost")': "cursor",
    'work(kinds: ["lost"])': "Nothing works jobs of the kind 'lost'",
    "work(budgetS: 0)": "The budget is 0 s",
    "work(budgetS: 86401)": "The budget is 86401 s",
    'cancelWork(shift: "lost")': "'lost'",
    'retryJobs(kind: "lost")': "kind is 'lost'",
    'retryJobs(jobs: ["NAMED", "lost"])': "no job 'lost'",
    'retryJobs(jobs: ["NAMED"], kind: "link")': "and a kind, too",
    'dropJobs(state: "lost")': "state is 'lost'",
    'dropJobs(kind: "lost")': "kind is 'lost'",
    'dropJobs(jobs: ["NAMED", "lost"])': "no job 'lost'",
}
"""What cannot be meant, and what the answer says of it."""


@pytest.mark.req("QUE-1")
@pytest.mark.parametrize("field", WRONG)
def test_what_cannot_be_meant_is_refused_with_what_to_do_and_changes_nothing(
    queued: Service, garage: Garage, field: str
) -> None:
    give_up(garage.graph, 1)
    (failed,) = listed(queued, state="failed")
    before = listed(queued)
    told = ask(queued, field.replace("NAMED", failed["uid"]))
    unknown = "no job" in WRONG[field] or "cancel" in field
    assert told["code"] == ("NOT_FOUND" if unknown else "INVALID_INPUT")
    assert WRONG[field] in told["message"]
    assert told["hint"]
    assert listed(queued) == before


@pytest.mark.req("GQL-1", part=True)
def test_a_token_that_may_only_read_sees_the_queue_and_leaves_it(
    queued: Service, garage: Garage
) -> None:
    secret = queued.tokens.add("onlooker", may_write=False)
    give_up(garage.graph, 1)
    before = listed(queued)
    for field in ("work", "retryJobs", "dropJobs", 'cancelWork(shift: "any")'):
        query = f"mutation {{ it: {field} {{ ... on Problem {{ code message }} }} }}"
        told = queued.post(query, secret=secret)["data"]["it"]
        assert (told["code"], "onlooker" in told["message"]) == ("REFUSED", True)
    edges = queued.post(JOBS, secret=secret)["data"]["jobs"]["edges"]
    assert [edge["node"] for edge in edges] == before


@pytest.mark.req("QUE-1")
@pytest.mark.req("CLI-1")
def test_the_command_line_works_the_queue_and_looks_after_it(home: Home, garage: Garage) -> None:
    give_up(garage.graph, 2)
    shown = home.run("jobs")
    assert "It has too many links." in shown.stdout
    assert "2 failed: garage jobs list --state failed" in shown.stderr
    failed, other = [
        edge["node"]["uid"] for edge in home.json("jobs", "list", "--state", "failed")["edges"]
    ]
    page = home.json("jobs", "list", "--first", "2")
    cursor = page["pageInfo"]["endCursor"]
    assert len(home.json("jobs", "list", "--after", cursor)["edges"]) == 1
    assert "1 in the queue again" in home.run("jobs", "retry", failed).stderr
    assert "Nothing was dropped" in home.run("jobs", "drop", expect=130).stderr  # nobody answers
    assert home.json("jobs", "drop", other, "--yes")["jobs"] == 1
    done = home.json("work", "--kind", "link", "--budget", "10m")
    assert done["shift"]["counts"] == [{"name": "done", "number": 2}]
    assert done["queue"]["counts"] == {"queued": 0, "waiting": 0, "running": 0, "failed": 0}
    assert "Nothing was ready." in (told := home.run("work")).stderr + told.stdout
    assert sorted(effects(garage.graph)) == [0, 1, 1]


@pytest.mark.req("CLI-1")
def test_the_command_line_says_what_is_wrong_and_changes_nothing(
    home: Home, garage: Garage
) -> None:
    for words, code in {
        "jobs list --state lost": 2,
        "jobs list --kind lost": 2,
        "work --kind lost": 2,
        "work --budget 0": 2,
        "work --budget soon": 2,
        "jobs retry lost": 3,
        "jobs drop lost --yes": 3,
        "jobs drop --state lost --yes": 2,
    }.items():
        told = home.json(*words.split(), expect=code)["error"]
        assert told["message"]
        assert told["hint"]
    assert states(garage.graph) == ["queued"] * 3


@pytest.mark.req("QUE-1")
@pytest.mark.req("CLI-1")
def test_ctrl_c_gives_the_jobs_at_hand_back_and_the_next_command_goes_on(
    home: Home, garage: Garage, marker: Marker
) -> None:
    marker.before = gate = Gate()
    ours, theirs = os.openpty()
    command = home.start("work", stderr=theirs)
    os.close(theirs)
    told = b""
    for piece in terminal(ours):
        is_shown = b"0/3" in told
        told += piece
        if not is_shown and b"0/3" in told:
            command.send_signal(signal.SIGINT)
    command.communicate(timeout=BOUND_S)
    assert command.returncode == 130, told
    assert "What was done is kept; 'garage work' goes on." in told.decode()
    assert states(garage.graph) == ["queued"] * 3
    gate.opened.set()
    assert home.json("work")["shift"]["counts"] == [{"name": "done", "number": 3}]
    assert effects(garage.graph) == [1, 1, 1]
