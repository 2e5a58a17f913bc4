"""Recalls: what is counted when a memory is found: once each, however many recall at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from graphstore import journal
from graphstore.journal import Activity
from graphstore.lanes import Filter, Scope
from graphstore.search_log import SearchEvent
from graphstore.session import Graph, Row, Transaction

_FEW_ASIDE: Final = 400
"""Up to so many memories and passages that take no part are found and thrown away."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories a recall may return."""

    at: datetime
    """The moment that it asks about: they were there then, and had not expired."""
    kinds: tuple[str, ...] = ()
    """Empty = all."""
    sources: tuple[str, ...] = ()
    """Empty = all."""
    include_archived: bool = False
    is_about_now: bool = False
    """Whether `at` is now, and only what takes part now is asked for."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What was counted of a memory, to the second."""

    created_at: datetime
    refreshed_at: datetime | None
    """The last recall or rehearsal."""
    recalls: int
    recall_days: int
    links: int
    importance: float
    is_owners: bool
    """Whether the owner wrote or confirmed it, or it is a file."""


def count(graph: Graph, uids: Sequence[str], event: SearchEvent) -> None:
    """Count that `event` recalled these memories; each once, though several of its chunks hit."""
    recalled = sorted(set(uids))  # in order, so that two recalls never wait for each other
    if recalled:
        graph.write(
            lambda tx: tx.run("memories/recall", uids=recalled, event=event.uid, now=event.at)
        )


def restore(graph: Graph, uids: Sequence[str], activity: Activity) -> tuple[str, ...]:
    """Make archived memories live again; return which were.

    One that expired, or whose store says the same by now, stays archived.
    """

    def work(tx: Transaction) -> tuple[str, ...]:
        tx.run("graph/advance", count=0)
        found = [tx.run("memories/restore", uid=uid, now=activity.at) for uid in sorted(set(uids))]
        live = tuple(row["uid"] for rows in found for row in rows)
        if live:
            targets = tuple(f"memory:{uid}" for uid in live)
            counts = {"memories": len(live)}
            journal.record(tx, replace(activity, targets=targets, counts=counts), live)
        return live

    return graph.write(work) if uids else ()


def scope(graph: Graph, wanted: Wanted) -> Scope | None:
    """Return where a recall may look; None when nothing there can be recalled.

    A recall about now looks everywhere in its sources: the few that take no part are counted, so
    that each lane brings as many more, and thrown away afterwards. Any other one, and one that
    would throw away too many, looks among the memories that are listed for it.
    """
    slugs = [row["slug"] for row in graph.read("memories/sources")]
    sources = [each for each in slugs if not wanted.sources or each in wanted.sources]
    if not sources:
        return None
    within = Filter(sources=tuple(sources))
    if wanted.is_about_now and not wanted.kinds:
        aside = graph.read("memories/aside", now=wanted.at, most=_FEW_ASIDE + 1)[0]
        if max(aside["memories"], aside["chunks"]) <= _FEW_ASIDE:
            return Scope(within, spare=aside["chunks"])
    rows = graph.read(
        "memories/matching",
        sources=sources,
        kinds=list(wanted.kinds) or None,
        at=wanted.at,
        archived=wanted.include_archived,
    )
    if not rows:
        return None
    return Scope(within, tuple(row["uid"] for row in rows), sum(row["chunks"] for row in rows))


def counters(graph: Graph, uids: Sequence[str]) -> dict[str, Counters]:
    """Return what was counted of memories, by uid; those that are gone are left out."""
    return {row["uid"]: _counters(row) for row in graph.read("memories/counters", uids=list(uids))}


def _counters(row: Row) -> Counters:
    # Seconds: the driver takes ten times as long to make a moment with a zone.
    refreshed_s = row["refreshed_s"]
    return Counters(
        created_at=datetime.fromtimestamp(row["created_s"], UTC),
        refreshed_at=None if refreshed_s is None else datetime.fromtimestamp(refreshed_s, UTC),
        recalls=row["recalls"],
        recall_days=row["recall_days"],
        links=row["links"],
        importance=row["importance"],
        is_owners=row["confirmed"],
    )
