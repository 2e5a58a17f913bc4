"""Core memory: three short blocks that every session of an assistant begins with.

Together they have at most `MAX_BYTES`, so that they always fit beside a question. Who writes a
block is recorded, what it said before is kept, and a change names the revision that it is of.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from api.ops import memory_checks as checks
from api.ops.choices import one_of
from api.ops.garage import Caller, Garage, activity
from graphstore import core_blocks
from graphstore.clock import new_uid
from graphstore.core_blocks import Block, BlockChange

BLOCKS: Final = ("persona", "user", "current_projects")
MAX_BYTES: Final = 4_096
"""Bytes of all blocks together, as UTF-8."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """All blocks, in their order; one that was never written is empty, with revision 0."""

    blocks: tuple[Block, ...]

    @property
    def bytes(self) -> int:
        """How much of `MAX_BYTES` is used."""
        return sum(len(block.text.encode()) for block in self.blocks)


@dataclass(frozen=True, slots=True)
class EarlierBlock:
    """What a block said before."""

    number: int
    text: str
    at: datetime
    """When it was replaced."""
    actor: str
    """By whom."""


def read(garage: Garage) -> CoreMemory:
    """Return core memory."""
    return CoreMemory(core_blocks.listed(garage.graph, BLOCKS))


def edit(
    garage: Garage, caller: Caller, block: str, text: str, expected_revision: int | None = None
) -> CoreMemory:
    """Let a block say `text` from now on, empty to clear it; return all blocks.

    Raises:
        InvalidInput: there is no such block, or the text is none.
        TooLarge: the blocks would be longer together than they may.
        Conflict: the block has another revision than `expected_revision`.
    """
    name = one_of("block", block, BLOCKS)
    said = checks.block(text)
    wanted = BlockChange(
        name=name,
        text=said,
        expected_revision=expected_revision,
        most_bytes=MAX_BYTES,
        earlier_uid=new_uid(),
        keep=garage.settings.memory.revisions,
    )
    log = activity(garage, caller, "edit-core-memory", targets=(f"core:{name}",))
    core_blocks.change(garage.graph, wanted, log)
    return read(garage)


def history(garage: Garage, block: str) -> tuple[EarlierBlock, ...]:
    """Return what a block said before, newest first.

    Raises:
        InvalidInput: there is no such block.
    """
    name = one_of("block", block, BLOCKS)
    rows = garage.graph.read("revisions/list", of=f"core:{name}")
    return tuple(
        EarlierBlock(r["number"], r["text"], r["at"], r["actor"])
        for row in rows
        for r in [row["revision"]]
    )
