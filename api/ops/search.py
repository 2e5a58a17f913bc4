"""Search: several lanes, fused by rank; any input is a query; filters never lose recall.

An embedder that fails costs its lane, not the answer: full text still finds what is stored, and
the result says that it is degraded.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from api.ops import finding
from api.ops.fusion import Fused
from api.ops.garage import Caller, Garage
from api.ops.settings import MAX_HITS
from graphstore import lanes, search_log
from graphstore.clock import new_uid
from graphstore.errors import InvalidInput, TooLarge, Unavailable
from graphstore.lanes import Filter
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.search_log import SearchEvent
from graphstore.session import Row

HitKind = Literal["chunk", "fact", "memory", "summary"]
KINDS: Final = ("chunk", "fact", "memory", "summary")
_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
MAX_FILTER: Final = 100
"""Values of one filter."""
MAX_QUERY: Final = 10_000
"""Characters of a query; a longer text is no question."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked."""

    query: str
    limit: int | None = None
    """At most 100; None = the setting `search.limit`."""
    include: tuple[str, ...] = ()
    """Kinds of hits; empty = all."""
    wanted: Filter = field(default_factory=Filter)
    explain: bool = False


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
    uri: str
    title: str
    source: str
    path: str
    section: str
    text: str
    snippet: str
    """The passage to show: without the front matter of a file, which says nothing to a reader."""
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
    limit = _checked(garage, request)
    request = _readable(request)
    wants_chunks = not request.include or "chunk" in request.include
    found = finding.find(garage, request.query, request.wanted) if wants_chunks else finding.NOTHING
    fused = finding.fused(garage, request.wanted, found)
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


def _checked(garage: Garage, request: SearchRequest) -> int:
    limit = garage.settings.search.limit if request.limit is None else request.limit
    if not 1 <= limit <= MAX_HITS:
        raise InvalidInput(f"limit is {limit}.", hint=f"Ask for 1 to {MAX_HITS} hits.")
    if len(request.query) > MAX_QUERY:
        message = f"The query has {len(request.query):,} characters; at most {MAX_QUERY:,}."
        raise TooLarge(message, hint="Ask about one thing at a time.")
    lists: dict[str, tuple[str, ...]] = {
        name: getattr(request.wanted, name)
        for name in ("sources", "classes", "trusts", "mimes", "authors")
    }
    for name, values in lists.items():
        if len(values) > MAX_FILTER:
            message = f"The filter '{name}' names {len(values):,} values; at most {MAX_FILTER}."
            raise InvalidInput(message, hint="Name fewer, or none for all.")
    _among("include", request.include, KINDS)
    _among("class", request.wanted.classes, CLASSES)
    _among("trust", request.wanted.trusts, TRUST_TIERS)
    known = (
        {row["slug"] for row in garage.graph.read("sources/slugs")}
        if request.wanted.sources
        else ()
    )
    _among("source", request.wanted.sources, tuple(known))
    return limit


def _readable(request: SearchRequest) -> SearchRequest:
    """Return a request that is text: JSON may carry half a surrogate pair, which nothing takes."""

    def read(text: str) -> str:
        return text.encode(errors="replace").decode()

    wanted = replace(
        request.wanted,
        authors=tuple(map(read, request.wanted.authors)),
        mimes=tuple(map(read, request.wanted.mimes)),
    )
    return replace(request, query=read(request.query), wanted=wanted)


def _among(name: str, values: Sequence[str], allowed: Sequence[str]) -> None:
    for value in values:
        if value not in allowed:
            message = f"{name} is '{value}'."
            raise InvalidInput(
                message, hint=f"It may be: {', '.join(sorted(allowed)) or 'nothing yet'}."
            )


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
        kind="chunk",
        rank=rank,
        score=round(item.score, 6),
        document_uid=document["uid"],
        chunk_uid=item.uid,
        memory_id=None,
        uri=document["uri"],
        title=document["title"],
        source=document["source"],
        path=document["path"],
        section=row["heading"],
        text=row["text"],
        snippet=_FRONT_MATTER.sub("", row["text"]).strip() or row["text"],
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
    """Log the search, after the answer; a log that cannot be written costs nothing."""
    if not garage.settings.search.log_enabled:
        return
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

    def write() -> None:
        with suppress(Unavailable):
            search_log.record(garage.graph, event, hits)

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
