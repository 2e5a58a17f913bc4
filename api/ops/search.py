"""Search: several lanes, fused by rank; any input is a query; filters never lose recall.

An embedder that fails costs its lane, not the answer: full text still finds what is stored, and
the result says that it is degraded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from api.ops import fusion
from api.ops.fusion import Fused, Lane, Ranked
from api.ops.garage import Caller, Garage
from extraction import embedding
from extraction.providers.base import Embedder
from graphstore import embedding_models, lanes, search_log
from graphstore.clock import new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import InvalidInput, TooLarge, Unavailable
from graphstore.lanes import Allowed, Filter, Owner, Scored
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.search_log import SearchEvent
from graphstore.session import Row

HitKind = Literal["chunk", "fact", "memory", "summary"]
KINDS: Final = ("chunk", "fact", "memory", "summary")
MAX_LIMIT: Final = 100
MAX_QUERY: Final = 10_000
"""Characters of a query; a longer text is no question."""
_DISAGREEMENT: Final = 0.05
"""How much nearer the best passage must be when full text finds none of the near ones."""


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


@dataclass(frozen=True, slots=True)
class _Found:
    """What the lanes brought."""

    lanes: tuple[Lane, ...]
    degraded: tuple[str, ...]
    low_confidence: bool


def search(garage: Garage, caller: Caller, request: SearchRequest) -> SearchResult:
    """Search the graph.

    Raises:
        InvalidInput: a filter or limit is outside its values.
        TooLarge: the query is longer than `MAX_QUERY`.
    """
    limit = _checked(garage, request)
    # JSON may carry half a surrogate pair, which is no text: neither server nor model takes it.
    request = replace(request, query=request.query.encode(errors="replace").decode())
    wants_chunks = not request.include or "chunk" in request.include
    found = _lanes(garage, request) if wants_chunks else _Found((), (), low_confidence=True)
    fused = _fused(garage, request, found.lanes)
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
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {limit}.", hint=f"Ask for 1 to {MAX_LIMIT} hits.")
    if len(request.query) > MAX_QUERY:
        message = f"The query has {len(request.query):,} characters; at most {MAX_QUERY:,}."
        raise TooLarge(message, hint="Ask about one thing at a time.")
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


def _among(name: str, values: Sequence[str], allowed: Sequence[str]) -> None:
    for value in values:
        if value not in allowed:
            message = f"{name} is '{value}'."
            raise InvalidInput(
                message, hint=f"It may be: {', '.join(sorted(allowed)) or 'nothing yet'}."
            )


def _lanes(garage: Garage, request: SearchRequest) -> _Found:
    within = lanes.allowed(garage.graph, request.wanted) if request.wanted.is_listed else None
    if within is not None and not within.documents:
        return _Found((), (), low_confidence=True)
    k = garage.settings.search.lane_k
    text = Lane(
        "fulltext",
        "fulltext",
        _ranked(lanes.by_text(garage.graph, request.query, request.wanted, within, k)),
    )
    degraded: list[str] = []
    vectors: list[Lane] = []
    confident = False
    for model, embedder in _searchable(garage, degraded):
        try:
            lane = _vector_lane(garage, request, model, embedder, within)
        except (Unavailable, InvalidInput) as error:
            degraded.append(f"{model.slug}: {error.message}")
            continue
        vectors.append(lane)
        confident = confident or _is_confident(lane, text, embedder)
    if not vectors:
        confident = bool(text.items)
    return _Found((*vectors, text), tuple(degraded), low_confidence=not confident)


def _searchable(garage: Garage, degraded: list[str]) -> list[tuple[EmbeddingModel, Embedder]]:
    """Return the models to ask: the active ones, or those being filled when none is."""
    models = {model.slug: model for model in embedding_models.listed(garage.graph)}
    pairs = [(models[e.slug], e) for e in garage.embedders if e.slug in models]
    active = [pair for pair in pairs if pair[0].state == "active"]
    for model, _ in pairs:
        if model.error:
            degraded.append(f"{model.slug}: vectors are pending ({model.error})")
    return active or pairs


def _vector_lane(
    garage: Garage,
    request: SearchRequest,
    model: EmbeddingModel,
    embedder: Embedder,
    within: Allowed | None,
) -> Lane:
    if not request.query.strip():
        return Lane(f"vector:{model.slug}", "vector", ())
    vector = embedder.embed_query(request.query)
    if defect := embedding.check(vector, model.dimensions):
        raise InvalidInput(defect)
    k = garage.settings.search.lane_k
    near = lanes.by_vector(garage.graph, model, vector.tolist(), request.wanted, within, k)
    return Lane(f"vector:{model.slug}", "vector", _ranked(near))


def _is_confident(vector: Lane, text: Lane, embedder: Embedder) -> bool:
    """Say whether the best passage is near enough, nearer when full text does not agree."""
    if not vector.items:
        return False
    top = vector.items[0].score
    agreed = {item.uid for item in vector.items[:10]} & {item.uid for item in text.items[:10]}
    likely = embedder.low_confidence_cosine
    return top >= likely + _DISAGREEMENT or (bool(agreed) and top >= likely)


def _recency(owners: Mapping[str, Owner]) -> Lane:
    """Rank what the other lanes found by day of last change, newest first."""
    days = [(uid, float(owners[uid].changed_at.date().toordinal())) for uid in sorted(owners)]
    return Lane("recency", "recency", fusion.ranked(days))


def _fused(garage: Garage, request: SearchRequest, found: Sequence[Lane]) -> tuple[Fused, ...]:
    settings = garage.settings.search
    kept = fusion.without_weak(found, settings.min_lane_hits)
    uids = sorted({item.uid for lane in kept for item in lane.items})
    owners = {
        uid: owner
        for uid, owner in lanes.owners(garage.graph, uids).items()
        if _passes(owner, request.wanted)
    }
    present = [
        Lane(lane.name, lane.kind, tuple(item for item in lane.items if item.uid in owners))
        for lane in kept
    ]
    classes = {uid: owner.corpus_class for uid, owner in owners.items()}
    # Recency joins after the guard: it finds nothing of its own, so it is never the last lane.
    fused_lanes = [*present, _recency(owners)]
    return fusion.fuse(fused_lanes, settings.weights, classes, settings.rrf_k)


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


def _passes(owner: Owner, wanted: Filter) -> bool:
    """Check a find again at its document: indexes are a speed-up, never the guard."""
    return (
        (not wanted.sources or owner.source in wanted.sources)
        and (not wanted.classes or owner.corpus_class in wanted.classes)
        and (not wanted.trusts or owner.trust in wanted.trusts)
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
        corpus_class=document["class"],
        trust=document["trust"],
        authors=tuple(row["authors"]),
        mime=document["mime"],
        changed_at=document["mtime"],
        document_tokens=document["tokens"],
        evidence_count=1,
        low_confidence=low_confidence,
        lanes=tuple(LaneRank(name, r.rank, round(r.score, 4)) for name, r in item.lanes)
        if explain
        else (),
    )


def _ranked(found: Sequence[Scored]) -> tuple[Ranked, ...]:
    return tuple(Ranked(item.uid, rank, item.score) for rank, item in enumerate(found, start=1))


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
    try:
        search_log.record(garage.graph, event, hits)
    except Unavailable:
        return


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
