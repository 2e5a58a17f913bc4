"""Core memory: three blocks that always fit, each in one version."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.ops import core_memory, stats
from api.ops.garage import Caller, Garage
from graphstore.errors import Conflict, InvalidInput, TooLarge
from tests.graph.conftest import OWNER, rows

AGENT = Caller("claude", "mcp")


@pytest.mark.req("REC-3")
def test_the_blocks_are_there_and_empty_from_the_start(garage: Garage) -> None:
    core = core_memory.read(garage)
    assert [(b.name, b.text, b.revision) for b in core.blocks] == [
        ("persona", "", 0),
        ("user", "", 0),
        ("current_projects", "", 0),
    ]
    assert core.bytes == 0


@pytest.mark.req("REC-3")
def test_a_block_is_edited_alone_with_its_history_and_who_wrote_it(garage: Garage) -> None:
    core_memory.edit(garage, OWNER, "user", " Lives in Example Town.\n")
    core = core_memory.edit(garage, AGENT, "user", "Moved to Sample City.", expected_revision=1)
    block = {each.name: each for each in core.blocks}["user"]
    assert (block.text, block.revision, block.actor) == ("Moved to Sample City.", 2, "claude")
    assert core.bytes == len("Moved to Sample City.")
    (earlier,) = core_memory.history(garage, "user")
    assert (earlier.number, earlier.text, earlier.actor) == (1, "Lives in Example Town.", "claude")
    assert [e.actor for e in stats.log(garage, verb="edit-core-memory")] == ["claude", "tester"]
    assert "Town" not in str(stats.log(garage))
    cleared = core_memory.edit(garage, OWNER, "user", "")
    assert cleared.bytes == 0


@pytest.mark.req("REC-3")
def test_a_block_of_another_revision_than_was_seen_is_a_conflict(garage: Garage) -> None:
    core_memory.edit(garage, OWNER, "persona", "Brief.", expected_revision=0)
    with pytest.raises(Conflict, match="revision 1"):
        core_memory.edit(garage, OWNER, "persona", "Verbose.", expected_revision=0)
    assert core_memory.read(garage).blocks[0].text == "Brief."


@pytest.mark.req("REC-3")
def test_of_writers_at_once_that_saw_the_same_one_wins(garage: Garage) -> None:
    start = threading.Barrier(4)

    def write(number: int) -> bool:
        start.wait()
        try:
            core_memory.edit(garage, OWNER, "user", f"Text {number}.", expected_revision=0)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(write, range(4))) == [False] * 3 + [True]


@pytest.mark.req("REC-3")
def test_all_blocks_together_have_four_kilobytes(garage: Garage) -> None:
    core_memory.edit(garage, OWNER, "persona", "é" * 1_000)
    core_memory.edit(garage, OWNER, "user", "x" * 2_096)
    before = rows(garage.graph, "MATCH (b:CoreBlock) RETURN properties(b) AS p ORDER BY b.name")
    with pytest.raises(TooLarge, match="4,096"):
        core_memory.edit(garage, OWNER, "current_projects", "y")
    after = rows(garage.graph, "MATCH (b:CoreBlock) RETURN properties(b) AS p ORDER BY b.name")
    assert after == before
    assert core_memory.edit(garage, OWNER, "persona", "short").bytes == 2_101
    with pytest.raises(InvalidInput, match="block"):
        core_memory.edit(garage, OWNER, "secrets", "x")
    with pytest.raises(InvalidInput, match="null"):
        core_memory.edit(garage, OWNER, "user", "a\0b")
