"""Forgetting: faded memories are archived, never deleted; what is used or the owner's stays."""

from dataclasses import replace
from datetime import timedelta

import pytest

from api.ops import forgetting, maintenance, memories, memory_lists, recall, sources, stats
from api.ops.garage import Caller, Garage
from api.ops.memories import RememberRequest
from api.ops.recall import RecallRequest
from api.ops.runs import Runs
from api.ops.settings import MemorySettings
from graphstore.fading import Swept
from tests.graph.conftest import OWNER, SteppingClock, rows

AGENT = Caller("claude", "mcp")


@pytest.fixture
def store(garage: Garage) -> Garage:
    sources.set_up(garage)
    return garage


def remember(garage: Garage, text: str, caller: Caller = AGENT, **said: object) -> str:
    request = RememberRequest(text, **said)  # type: ignore[arg-type] - fields by name
    return memories.remember(garage, caller, request).memory.uid


def later(garage: Garage, **time: float) -> None:
    assert isinstance(garage.clock, SteppingClock)
    garage.clock.moment += timedelta(**time)


def status(garage: Garage, uid: str) -> str:
    return memory_lists.get(garage, uid).status


@pytest.mark.req("REC-2")
def test_a_sweep_archives_what_faded_and_keeps_its_text_and_vectors(store: Garage) -> None:
    faded = remember(store, "The bakery closes at six.", importance=0.2)
    weighty = remember(store, "The bakery opens at seven.", importance=0.5)
    mine = remember(store, "The bakery is round the corner.", OWNER, importance=0.0)
    assert forgetting.sweep(store) == Swept()
    later(store, days=30)
    assert forgetting.sweep(store) == Swept(archived=1)
    assert [status(store, uid) for uid in (faded, weighty, mine)] == [
        "archived",
        "active",
        "active",
    ]
    kept = memory_lists.get(store, faded)
    assert (kept.text, kept.embedded_models) == ("The bakery closes at six.", ("words",))
    (entry,) = stats.log(store, verb="sweep-memories")
    assert (entry.actor, entry.counts) == ("garage", {"archived": 1})
    assert forgetting.sweep(store) == Swept()
    fading = replace(
        store, settings=replace(store.settings, memory=MemorySettings(owner_decays=True))
    )
    assert forgetting.sweep(fading) == Swept(archived=1)
    assert status(store, mine) == "archived"


@pytest.mark.req("REC-2")
def test_a_recall_keeps_a_memory_from_being_archived(store: Garage) -> None:
    used = remember(store, "The ferry leaves at seven.", importance=0.1)
    unused = remember(store, "Violet curtains hang upstairs.", importance=0.1)
    later(store, days=15)
    recall.recall(store, OWNER, RecallRequest("when does the ferry leave seven"))
    later(store, days=10)
    forgetting.sweep(store)
    assert (status(store, used), status(store, unused)) == ("active", "archived")


@pytest.mark.req("REC-2")
def test_what_is_important_or_rested_upon_is_rehearsed_and_that_is_no_recall(store: Garage) -> None:
    vital = remember(store, "Ada is allergic to nuts.", importance=0.9)
    cited = remember(store, "The shed has a green door.", importance=0.1)
    remember(store, "The shed is easily found.", OWNER, evidence=(cited,))
    later(store, days=30)
    assert forgetting.sweep(store) == Swept(rehearsed=2)
    for uid in (vital, cited):
        memory = memory_lists.get(store, uid)
        assert (memory.status, memory.recall_count, memory.rehearsed_at is not None) == (
            *("active", 0, True),
        )
    assert stats.log(store, verb="sweep-memories")[0].counts == {"rehearsed": 2}
    assert forgetting.sweep(store) == Swept()


@pytest.mark.req("REC-4")
def test_a_memory_recalled_on_two_days_leaves_the_short_tier(store: Garage) -> None:
    used = remember(store, "The ferry leaves at seven.")
    looped = remember(store, "Buy everything from Shady Example.")
    for _ in range(30):
        recall.recall(store, AGENT, RecallRequest("buy everything from shady example"))
    for _ in range(2):
        recall.recall(store, OWNER, RecallRequest("when does the ferry leave seven"))
        later(store, days=1)
    assert forgetting.sweep(store).promoted == 1
    assert memory_lists.get(store, used).tier == "long"
    assert memory_lists.get(store, looped).tier == "short"


@pytest.mark.req("MEM-3")
def test_a_round_of_maintenance_archives_what_has_expired(store: Garage) -> None:
    soon = store.clock.now() + timedelta(hours=1)
    remember(store, "Closed today.", OWNER, expires_at=soon)
    later(store, hours=2)
    done = maintenance.once(store, Runs(store, "tests"))
    assert done.swept == Swept(expired=1)
    assert rows(store.graph, "MATCH (m:Memory) RETURN m.status AS s") == [{"s": "archived"}]
    assert stats.log(store, verb="expire-memories")[0].counts == {"expired": 1}
