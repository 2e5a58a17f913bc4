"""Finding: the lanes of a search, asked one by one and fused by rank.

What a lane finds is checked again at its document: indexes are a speed-up, never the guard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from api.ops import fusion
from api.ops.fusion import Fused, Lane, Ranked
from api.ops.garage import Garage
from extraction import embedding
from extraction.providers.base import Embedder
from graphstore import embedding_models, lanes
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import IndexUnavailable, InvalidInput, StoreUnavailable, Unavailable
from graphstore.lanes import Filter, Owner, Scope, Scored

_DISAGREEMENT: Final = 0.05
"""How much nearer the best passage must be when full text finds none of the near ones."""


_WORDLESS: Final = 0.13
"""How much nearer it must be when not one word of the query occurs anywhere."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the lanes brought."""

    lanes: tuple[Lane, ...]
    degraded: tuple[str, ...]
    low_confidence: bool


def find(garage: Garage, query: str, wanted: Filter) -> Found:
    """Ask every lane. An embedder that fails costs its lane alone."""
    scope = lanes.scope(garage.graph, wanted)
    if scope.documents == ():
        return Found((), (), low_confidence=True)
    unready = garage.graph.unready_indexes
    degraded = [f"index {each}" for each in unready]
    # The server would wait for an index that fills, for longer than a person does.
    has_words = not any(each.startswith(lanes.TEXT_INDEX) for each in unready)
    words = _by_words(garage, query, scope, degraded) if has_words else ()
    text = Lane("fulltext", "fulltext", words)
    vectors: list[Lane] = []
    confident = False
    for model, embedder in _searchable(garage, degraded):
        try:
            lane = _vector_lane(garage, query, model, embedder, scope)
        except StoreUnavailable:
            raise
        except (Unavailable, InvalidInput) as error:
            degraded.append(f"{model.slug}: {error.message}")
            continue
        vectors.append(lane)
        confident = confident or _is_confident(lane, text, embedder)
    if not vectors:
        confident = bool(text.items)
    return Found((*vectors, text), tuple(degraded), low_confidence=not confident)


def _by_words(garage: Garage, query: str, scope: Scope, degraded: list[str]) -> tuple[Ranked, ...]:
    k = garage.settings.search.lane_k
    try:
        return _ranked(lanes.by_text(garage.graph, query, scope, k))
    except IndexUnavailable as error:
        degraded.append(f"fulltext: {error}")
        return ()


def _searchable(garage: Garage, degraded: list[str]) -> list[tuple[EmbeddingModel, Embedder]]:
    """Return the models to ask: the active ones, or those being filled when none is."""
    models = {model.slug: model for model in embedding_models.listed(garage.graph)}
    pairs = [(models[e.slug], e) for e in garage.embedders if e.slug in models]
    active = [pair for pair in pairs if pair[0].state == "active"]
    some_wait = bool(pairs) and embedding_models.waiting(garage.graph) > 0
    for model, _ in pairs:
        waiting = embedding_models.pending(garage.graph, model).pending if some_wait else 0
        if waiting:
            degraded.append(f"{model.slug}: {waiting:,} chunks wait for vectors, words find them")
        if model.error:
            degraded.append(f"{model.slug}: vectors are pending ({model.error})")
    return active or pairs


def _vector_lane(
    garage: Garage, query: str, model: EmbeddingModel, embedder: Embedder, scope: Scope
) -> Lane:
    if not query.strip():
        return Lane(f"vector:{model.slug}", "vector", ())
    vector = embedder.embed_query(query)
    if embedder.fingerprint != model.fingerprint:
        message = f"{embedder.name} is another model than the one registered by that name."
        raise Unavailable(message)
    if defect := embedding.check(vector, model.dimensions):
        raise InvalidInput(defect)
    k = garage.settings.search.lane_k
    near = lanes.by_vector(garage.graph, model, vector.tolist(), scope, k)
    return Lane(f"vector:{model.slug}", "vector", _ranked(near))


def _is_confident(vector: Lane, text: Lane, embedder: Embedder) -> bool:
    """Say whether the best passage is near enough, nearer when full text does not agree."""
    if not vector.items:
        return False
    top = vector.items[0].score
    agreed = {item.uid for item in vector.items[:10]} & {item.uid for item in text.items[:10]}
    likely = embedder.low_confidence_cosine
    if not text.items:
        return top >= likely + _WORDLESS
    return top >= likely + _DISAGREEMENT or (bool(agreed) and top >= likely)


def _recency(owners: Mapping[str, Owner]) -> Lane:
    """Rank what the other lanes found by day of last change, newest first."""
    days = [(uid, float(owners[uid].changed_at.date().toordinal())) for uid in sorted(owners)]
    return Lane("recency", "recency", fusion.ranked(days))


def fused(garage: Garage, wanted: Filter, found: Sequence[Lane]) -> tuple[Fused, ...]:
    """Return what the lanes found as one list, best first, with the recency lane joined in."""
    settings = garage.settings.search
    kept = fusion.without_weak(found, settings.min_lane_hits)
    uids = sorted({item.uid for lane in kept for item in lane.items})
    owners = {
        uid: owner
        for uid, owner in lanes.owners(garage.graph, uids).items()
        if _passes(owner, wanted)
    }
    present = [
        Lane(lane.name, lane.kind, tuple(item for item in lane.items if item.uid in owners))
        for lane in kept
    ]
    classes = {uid: owner.corpus_class for uid, owner in owners.items()}
    # Recency joins after the guard: it finds nothing of its own, so it is never the last lane.
    fused_lanes = [*present, _recency(owners)]
    return fusion.fuse(fused_lanes, settings.weights, classes, settings.rrf_k)


def _passes(owner: Owner, wanted: Filter) -> bool:
    """Check a find again at its document: indexes are a speed-up, never the guard."""
    return (
        (not wanted.sources or owner.source in wanted.sources)
        and (not wanted.classes or owner.corpus_class in wanted.classes)
        and (not wanted.trusts or owner.trust in wanted.trusts)
    )


def _ranked(found: Sequence[Scored]) -> tuple[Ranked, ...]:
    return tuple(Ranked(item.uid, rank, item.score) for rank, item in enumerate(found, start=1))
