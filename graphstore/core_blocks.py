"""Core memory: a few short blocks that an assistant reads first. Small, and one version each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from graphstore import journal
from graphstore.errors import Conflict, TooLarge
from graphstore.journal import Activity
from graphstore.session import Graph, Row, Transaction


@dataclass(frozen=True, slots=True)
class Block:
    """One block of core memory."""

    name: str
    text: str = ""
    revision: int = 0
    """0 = never written."""
    updated_at: datetime | None = None
    actor: str = ""
    """Who wrote it last."""


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What a block is to say."""

    name: str
    text: str
    expected_revision: int | None
    """None = whatever it is."""
    most_bytes: int
    """Of all blocks together."""
    earlier_uid: str
    """Of the node that will hold what the block says now."""
    keep: int
    """Earlier texts that are kept."""


def listed(graph: Graph, names: Sequence[str]) -> tuple[Block, ...]:
    """Return the blocks of these names, in order, those that were never written too."""
    found = _found(graph.read("core_blocks/list"))
    return tuple(found.get(name, Block(name)) for name in names)


def change(graph: Graph, wanted: BlockChange, activity: Activity) -> Block:
    """Write a block and keep what it said.

    Raises:
        Conflict: it has another revision.
        TooLarge: the blocks would have more bytes together than they may.
    """
    return graph.write(partial(_change, wanted=wanted, activity=activity))


def _change(tx: Transaction, wanted: BlockChange, activity: Activity) -> Block:
    tx.run("graph/advance", count=0)  # the lock: what is read after it, no other writer changes
    rows = {row["name"]: row for row in tx.run("core_blocks/list")}
    blocks = _found(list(rows.values()))
    now = blocks.get(wanted.name, Block(wanted.name))
    if now.revision and rows[wanted.name]["changed_by"] == activity.uid:
        return now  # the reply to an earlier commit of this very unit was lost
    if wanted.expected_revision not in {None, now.revision}:
        message = f"The block '{wanted.name}' has revision {now.revision} by now,"
        hint = "Read it again, then repeat the change."
        raise Conflict(f"{message} not {wanted.expected_revision}.", hint=hint)
    others = sum(len(b.text.encode()) for b in blocks.values() if b.name != wanted.name)
    total = others + len(wanted.text.encode())
    if total > wanted.most_bytes:
        message = f"Core memory would have {total:,} bytes; all blocks have {wanted.most_bytes:,}."
        raise TooLarge(message, hint="Keep what every session needs; remember the rest.")
    row = tx.run(
        "core_blocks/put",
        name=wanted.name,
        text=wanted.text,
        at=activity.at,
        actor=activity.actor,
        activity=activity.uid,
        revision=now.revision or None,
        earlier_uid=wanted.earlier_uid,
    )[0]
    tx.run("revisions/trim", of=f"core:{wanted.name}", keep=wanted.keep)
    journal.record(tx, replace(activity, counts={"changed": 1}))
    return Block(**row)


def _found(rows: Sequence[Row]) -> dict[str, Block]:
    return {
        row["name"]: Block(
            row["name"], row["text"], row["revision"], row["updated_at"], row["actor"]
        )
        for row in rows
    }
