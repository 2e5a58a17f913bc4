"""Search: several lanes, fused by rank; any input is a query; filters never lose recall.

An embedder that fails costs its lane, not the answer: full text still finds what is stored, and
the result says that it is degraded.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from api.ops import finding, ranking
from api.ops.finding import Found
from api.ops.fusion import Fused
from api.ops.garage import Caller, Garage
from api.ops.search_requests import (
    KINDS,
    MAX_FILTER,
    MAX_QUERY,
    SearchRequest,
    checked,
    readable,
)
from api.ops.snippets import snippet
from graphstore import lanes, recalls, search_log
from graphstore.clock import new_uid
from graphstore.errors import Unavailable
from graphstore.lanes import Filter
from graphstore.records import KEPT
from graphstore.search_log import SearchEvent
from graphstore.session import Row

__all__ = ["KINDS", "MAX_FILTER", "MAX_QUERY", "SearchRequest"]

HitKind = Literal["chunk", "fact", "memory", "summary"]


@dataclass(frozen=True, slots=True)
class LaneRank:
    """Why a hit came: where a lane ranked it. Vector scores are raw cosine."""

    lane: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers."""

    kind: HitKind
    rank: int
    score: float
    document_uid: str
    chunk_uid: str
    memory_id: str | None
    origin: str | None
    """Who said a memory: user, agent, dream or file. None when the hit is no memory."""
    client: str | None
    """The name of the client that said it, or handed a whole text over; None of what was read."""
    confirmed: bool | None
    """Whether the owner said a memory, or stands by it. None when the hit is no memory."""
    uri: str
    title: str
    source: str
    path: str
    section: str
    text: str
    snippet: str
    """The passage to show, without front matter and the headings that are said above."""
    corpus_class: str
    trust: str
    authors: tuple[str, ...]
    mime: str
    changed_at: datetime
    document_tokens: int
    evidence_count: int
    low_confidence: bool
    lanes: tuple[LaneRank, ...] = ()
    """Filled when the request asks to explain."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search."""

    query: str
    hits: tuple[Hit, ...]
    low_confidence: bool
    """Probably nothing in the corpus answers this."""
    degraded: tuple[str, ...]
    """What could not take part, and why; empty = everything did."""
    truncated: bool
    """Whether there are more hits than were asked for."""


def search(garage: Garage, caller: Caller, request: SearchRequest) -> SearchResult:
    """Search the graph.

    Raises:
        InvalidInput: a filter or limit is outside its values.
        TooLarge: the query is longer than `MAX_QUERY`.
    """
    limit = checked(garage, request)
    request = readable(request)
    found, fused = _found(garage, request)
    hits = _hits(garage, fused, request, limit, found.low_confidence)
    result = SearchResult(
        query=request.query,
        hits=hits,
        low_confidence=found.low_confidence,
        degraded=found.degraded,
        truncated=len(fused) > len(hits),
    )
    _record(garage, caller, request, result)
    return result


def _found(garage: Garage, request: SearchRequest) -> tuple[Found, tuple[Fused, ...]]:
    """Return what the lanes brought of the kinds that are wanted, as one list."""
    kinds = frozenset(request.include or KINDS)
    wanted = _narrowed(garage, request.wanted, kinds)
    if wanted is None:
        return finding.NOTHING, ()
    found = finding.find(garage, request.query, lanes.scope(garage.graph, wanted))
    now = garage.clock.now()
    owners = {
        uid: owner
        for uid, owner in found.owners.items()
        if finding.passes(owner, wanted)
        and ("memory" if owner.memory else "chunk") in kinds
        and (owner.memory is None or owner.memory.is_live(now))
    }
    return found, ranking.fused(garage, found.lanes, owners)


def _narrowed(garage: Garage, wanted: Filter, kinds: frozenset[str]) -> Filter | None:
    """Return a filter that keeps to the sources of the kinds that are wanted; None = nothing is.

    Memories and other documents have sources of their own, but for what was kept of removed ones.
    """
    if {"chunk", "memory"} <= kinds:
        return wanted
    if not {"chunk", "memory"} & kinds:
        return None
    rows = garage.graph.read("sources/slugs")
    slugs = {
        row["slug"]
        for row in rows
        if row["kind"] == KEPT or (row["kind"] == "memory") == ("memory" in kinds)
    }
    sources = tuple(sorted(slugs & set(wanted.sources) if wanted.sources else slugs))
    return replace(wanted, sources=sources) if sources else None


def _hits(
    garage: Garage,
    fused: Sequence[Fused],
    request: SearchRequest,
    limit: int,
    low_confidence: bool,
) -> tuple[Hit, ...]:
    rows = lanes.hits(garage.graph, [item.uid for item in fused[:limit]])
    there = [item for item in fused[:limit] if item.uid in rows]
    return tuple(
        _hit(item, rank, rows[item.uid], request.explain, low_confidence)
        for rank, item in enumerate(there, start=1)
    )


def _hit(
    item: Fused,
    rank: int,
    row: Row,
    explain: bool,
    low_confidence: bool,
) -> Hit:
    document: Mapping[str, Any] = row["document"]
    return Hit(
        kind="memory" if document["is_memory"] else "chunk",
        rank=rank,
        score=round(item.score, 6),
        document_uid=document["uid"],
        chunk_uid=item.uid,
        memory_id=document["uid"] if document["is_memory"] else None,
        origin=document["origin"],
        client=document["client"],
        confirmed=document["confirmed"],
        uri=document["uri"],
        title=document["title"],
        source=document["source"],
        path=document["path"],
        section=row["heading"],
        text=row["text"],
        snippet=snippet(row["text"], document["title"], row["heading"]),
        corpus_class=document["class"],
        trust=document["trust"],
        authors=tuple(row["authors"]),
        mime=document["mime"],
        changed_at=row["changed_at"],
        document_tokens=document["tokens"],
        evidence_count=1,
        low_confidence=low_confidence,
        lanes=tuple(LaneRank(name, r.rank, round(r.score, 4)) for name, r in item.lanes)
        if explain
        else (),
    )


def _record(garage: Garage, caller: Caller, request: SearchRequest, result: SearchResult) -> None:
    """Log the search and count recalls, after the answer; what cannot be written costs nothing."""
    event = SearchEvent(
        uid=new_uid(),
        at=garage.clock.now(),
        surface=caller.surface,
        client=caller.name,
        query=request.query,
        filters={"limit": request.limit, "include": request.include, **_filters(request.wanted)},
        hit_count=len(result.hits),
        low_confidence=result.low_confidence,
        top_score=result.hits[0].score if result.hits else None,
    )
    hits = [(hit.chunk_uid, hit.rank, "fused") for hit in result.hits]
    recalled = [hit.memory_id for hit in result.hits if hit.memory_id]

    def write() -> None:
        with suppress(Unavailable):
            search_log.record(garage.graph, event, hits)

    with suppress(Unavailable):
        if recalled:
            recalls.count(garage.graph, recalled, event)
    if garage.settings.search.log_enabled:
        garage.later(write)


def _filters(wanted: Filter) -> dict[str, Any]:
    return {
        "sources": wanted.sources,
        "classes": wanted.classes,
        "trusts": wanted.trusts,
        "mimes": wanted.mimes,
        "authors": wanted.authors,
        "since": wanted.since,
        "until": wanted.until,
    }
