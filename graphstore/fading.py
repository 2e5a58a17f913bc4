"""Fading: live memories looked at one after the other, and what becomes of them written down."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graphstore import journal
from graphstore.journal import Activity
from graphstore.session import Graph, Transaction

_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Live:
    """A live memory, with what is counted of it."""

    uid: str
    created_at: datetime
    last_recalled_at: datetime | None
    rehearsed_at: datetime | None
    recalls: int
    recall_days: int
    importance: float
    tier: str
    confirmed: bool
    links: int
    cited: bool
    """Whether another memory rests on it."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What is to become of memories."""

    archive: tuple[Live, ...] = ()
    rehearse: tuple[Live, ...] = ()
    promote: tuple[Live, ...] = ()


@dataclass(frozen=True, slots=True)
class Swept:
    """What became of them."""

    archived: int = 0
    rehearsed: int = 0
    promoted: int = 0
    expired: int = 0

    def __add__(self, other: "Swept") -> "Swept":
        return Swept(
            self.archived + other.archived,
            self.rehearsed + other.rehearsed,
            self.promoted + other.promoted,
            self.expired + other.expired,
        )


def pages(graph: Graph, *, owners: bool) -> Iterator[tuple[Live, ...]]:
    """Yield the live memories that may fade, a page at a time."""
    after = ""
    while page := graph.read("memories/fading", owners=owners, after=after, limit=_PAGE):
        yield tuple(Live(**row) for row in page)
        after = page[-1]["uid"]


def settle(graph: Graph, fate: Fate, activity: Activity) -> Swept:
    """Archive, rehearse and promote; one that was recalled meanwhile is not archived."""
    parts = {
        name: [{"uid": each.uid, "recalls": each.recalls} for each in found]
        for name, found in (
            ("archive", fate.archive),
            ("rehearse", fate.rehearse),
            ("promote", fate.promote),
        )
    }

    def work(tx: Transaction) -> Swept:
        row = tx.run("memories/settle", **parts, now=activity.at)[0]
        done = Swept(row["archived"], row["rehearsed"], row["promoted"])
        counts = {name: n for name, n in row.items() if n}
        touched = [each.uid for each in (*fate.archive, *fate.rehearse, *fate.promote)]
        if counts:
            journal.record(tx, replace(activity, counts=counts), touched)
        return done

    return graph.write(work) if any(parts.values()) else Swept()


def expire(graph: Graph, activity: Activity) -> int:
    """Archive what has expired; return how many."""
    total = 0
    while uids := [
        row["uid"] for row in graph.read("memories/expired", now=activity.at, limit=_PAGE)
    ]:
        total += graph.write(partial(_expire, uids=uids, activity=activity))
    return total


def _expire(tx: Transaction, uids: Sequence[str], activity: Activity) -> int:
    gone = int(tx.run("memories/archive", uids=list(uids), now=activity.at)[0]["archived"])
    journal.record(tx, replace(activity, counts={"expired": gone}), uids)
    return gone
