"""Recalls: what is counted when a memory is found: once each, however many recall at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphstore import journal
from graphstore.journal import Activity
from graphstore.lanes import Filter, Scope
from graphstore.search_log import SearchEvent
from graphstore.session import Graph, Transaction


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

    As long as every memory may be, the indexes alone know where; else the memories are listed.
    """
    slugs = [row["slug"] for row in graph.read("memories/sources")]
    sources = [each for each in slugs if not wanted.sources or each in wanted.sources]
    asked = {
        "sources": sources,
        "kinds": list(wanted.kinds) or None,
        "at": wanted.at,
        "archived": wanted.include_archived,
    }
    counted = graph.read("memories/excluded", **asked)[0]
    if counted["excluded"] == counted["total"]:
        return None
    within = Filter(sources=tuple(sources))
    if not counted["excluded"]:
        return Scope(within)
    rows = graph.read("memories/matching", **asked)
    return Scope(within, tuple(row["uid"] for row in rows), sum(row["chunks"] for row in rows))
