"""Search log: what was asked and what came back, kept on this machine, for a while."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from graphstore.session import Graph

_PURGE_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """One search."""

    uid: str
    at: datetime
    surface: str
    """The door: `cli`, `graphql`, `mcp`."""
    client: str
    query: str
    filters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    hit_count: int = 0
    low_confidence: bool = False
    top_score: float | None = None


def record(graph: Graph, event: SearchEvent, hits: Sequence[tuple[str, int, str]]) -> None:
    """Write a search with its hits: chunk uid, rank, leading lane."""
    properties = {
        "at": event.at,
        "surface": event.surface,
        "client": event.client,
        "query": event.query,
        "filters": json.dumps(dict(event.filters), sort_keys=True, default=str),
        "hit_count": event.hit_count,
        "low_confidence": event.low_confidence,
        "top_score": event.top_score,
    }
    rows = [{"uid": uid, "rank": rank, "lane": lane} for uid, rank, lane in hits]
    graph.write(
        lambda tx: tx.run("search_log/put", uid=event.uid, properties=properties, hits=rows)
    )


def purge(graph: Graph, before: datetime) -> int:
    """Forget searches older than `before`; return how many."""
    removed = total = -1
    while removed:
        removed = graph.write(
            lambda tx: tx.run("search_log/purge", before=before, limit=_PURGE_BATCH)
        )[0]["removed"]
        total += removed
    return total + 1


def latest(graph: Graph, limit: int = 50) -> tuple[SearchEvent, ...]:
    """Return the searches of late, newest first."""
    rows = graph.read("search_log/list", limit=limit)
    return tuple(
        SearchEvent(**{**row["event"], "filters": json.loads(row["event"]["filters"])})
        for row in rows
    )
