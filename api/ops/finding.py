"""Finding: the lanes of a search, asked side by side and fused by rank.

What a lane finds is checked again at its document: indexes are a speed-up, never the guard.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final

from api.amounts import amount
from api.ops import confidence, fusion, standing
from api.ops.confidence import Judged
from api.ops.fusion import Fused, Lane, Ranked
from api.ops.garage import Garage
from api.ops.settings import MEMORY
from api.ops.standing import Candidate
from extraction import embedding
from extraction.providers.base import Embedder
from graphstore import embedding_models, lanes
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import IndexUnavailable, InvalidInput, StoreUnavailable, Unavailable
from graphstore.lanes import Filter, Owner, Scope, Scored

Registered = Future[tuple[tuple[EmbeddingModel, ...], int]]
"""The registered models and how much waits, being looked up."""

_PENDING: Final = "pending memory"
_FIRST_BY_WORDS: Final = 1 / 3
"""Without vectors, what words rank among the first three is near the question."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the lanes brought."""

    lanes: tuple[Lane, ...]
    owners: Mapping[str, Owner]
    """What the documents of all finds say about them, by chunk."""
    degraded: tuple[str, ...]
    low_confidence: bool


@dataclass(slots=True)
class _Bringing:
    """What lanes bring, while they are asked."""

    lanes: list[Lane] = field(default_factory=list[Lane])
    embedders: list[Embedder] = field(default_factory=list[Embedder])
    """Those of vector lanes, in the order of `lanes`."""
    owners: dict[str, Owner] = field(default_factory=dict[str, Owner])
    degraded: list[str] = field(default_factory=list[str])

    def add(self, name: str, kind: str, found: Sequence[Scored]) -> None:
        self.lanes.append(Lane(name, kind, _ranked(found)))
        self.owners.update((item.uid, item.owner) for item in found)


NOTHING: Final = Found((), {}, (), low_confidence=True)


def find(garage: Garage, query: str, scope: Scope) -> Found:
    """Ask every lane. An embedder that fails costs its lane alone."""
    if scope.documents == ():
        return NOTHING
    unready = garage.graph.unready_indexes
    # The server would wait for an index that fills, for longer than a person does.
    has_words = not any(each.startswith(lanes.TEXT_INDEX) for each in unready)
    with ThreadPoolExecutor(2, "garage-lane") as beside:
        asked = beside.submit(_by_words, garage, query, scope, has_words)
        registered = beside.submit(embedding_models.standing, garage.graph)
        near = _by_vectors(garage, query, scope, registered)
        words = asked.result()
    (text,) = words.lanes
    return Found(
        (*near.lanes, text),
        near.owners | words.owners,
        (*(f"index {each}" for each in unready), *words.degraded, *near.degraded),
        low_confidence=not _is_confident(garage, query, near, words),
    )


def _by_words(garage: Garage, query: str, scope: Scope, has_words: bool) -> _Bringing:
    brought = _Bringing()
    found: Sequence[Scored] = ()
    if has_words:
        try:
            found = lanes.by_text(garage.graph, query, scope, garage.settings.search.lane_k)
        except IndexUnavailable as error:
            brought.degraded.append(f"fulltext: {error}")
    brought.add("fulltext", "fulltext", found)
    return brought


def _by_vectors(garage: Garage, query: str, scope: Scope, lookup: Registered) -> _Bringing:
    """Ask the models that the last search asked while it is looked up which there are now.

    Where they are not the same, what the guess brought is thrown away.
    """
    guessed = garage.last_asked.models
    brought = _ask(garage, query, scope, guessed)
    registered, waiting = lookup.result()
    if registered != guessed:
        garage.last_asked.models = registered
        brought = _ask(garage, query, scope, registered)
    brought.degraded[:0] = _unfilled(garage, registered, waiting)
    return brought


def _ask(
    garage: Garage, query: str, scope: Scope, registered: Sequence[EmbeddingModel]
) -> _Bringing:
    """Ask the active models, or those being filled when none is."""
    brought = _Bringing()
    pairs = _configured(garage, registered)
    for model, embedder in [pair for pair in pairs if pair[0].state == "active"] or pairs:
        try:
            found = _near(garage, query, model, embedder, scope)
        except StoreUnavailable:
            raise
        except (Unavailable, InvalidInput) as error:
            brought.degraded.append(f"{model.slug}: {error.message}")
            continue
        brought.add(f"vector:{model.slug}", "vector", found)
        brought.embedders.append(embedder)
    return brought


def _unfilled(garage: Garage, registered: Sequence[EmbeddingModel], waiting: int) -> Iterator[str]:
    """Say which models lack vectors; `waiting` texts lack that of one of them at least."""
    for model, _ in _configured(garage, registered):
        # What waits, waits for the only model there is; of several, each is asked for its share.
        is_only = len(registered) == 1
        lacking = (
            embedding_models.lacking(garage.graph, model) if waiting and not is_only else waiting
        )
        if lacking:
            yield f"{model.slug}: {amount(lacking, 'chunk')} without a vector yet, words find them"
        if model.error:
            yield f"{model.slug}: vectors are pending ({model.error})"


def _configured(
    garage: Garage, registered: Sequence[EmbeddingModel]
) -> list[tuple[EmbeddingModel, Embedder]]:
    models = {model.slug: model for model in registered}
    return [(models[e.slug], e) for e in garage.embedders if e.slug in models]


def _near(
    garage: Garage, query: str, model: EmbeddingModel, embedder: Embedder, scope: Scope
) -> Sequence[Scored]:
    if not query.strip():
        return ()
    vector = embedder.embed_query(query)
    if embedder.fingerprint != model.fingerprint:
        message = f"{embedder.name} is another model than the one registered by that name."
        raise Unavailable(message)
    if defect := embedding.check(vector, model.dimensions):
        raise InvalidInput(defect)
    k = garage.settings.search.lane_k
    return lanes.by_vector(garage.graph, model, vector.tolist(), scope, k)


def _is_confident(garage: Garage, query: str, near: _Bringing, words: _Bringing) -> bool:
    """Say whether something found probably answers, by any model; else by whether words find it."""
    (text,) = words.lanes
    if not near.lanes:
        return bool(text.items)
    owners = near.owners | words.owners
    talking = frozenset(u for u, o in owners.items() if o.corpus_class == confidence.TALK)
    firsts = {item.uid for lane in (*near.lanes, text) for item in lane.items[: confidence.FIRST]}
    asked = sorted(firsts & talking)
    talk = lanes.texts(garage.graph, asked) if asked else {}
    pairs = zip(near.lanes, near.embedders, strict=True)
    return any(
        confidence.is_confident(
            Judged(query, lane, text, embedder.low_confidence_cosine, talk, talking)
        )
        for lane, embedder in pairs
    )


def _recency(owners: Mapping[str, Owner]) -> Lane:
    """Rank what the other lanes found by day of last change, newest first."""
    days = [(uid, float(owners[uid].changed_on.toordinal())) for uid in sorted(owners)]
    return Lane("recency", "recency", fusion.ranked(days))


def fused(garage: Garage, found: Sequence[Lane], owners: Mapping[str, Owner]) -> tuple[Fused, ...]:
    """Return what the lanes found of these owners as one list, best first.

    The recency lane joins in; memories of programs stand as `standing` has it.
    """
    settings = garage.settings.search
    memories = frozenset(uid for uid, owner in owners.items() if owner.memory)
    kept = fusion.without_weak(found, settings.min_lane_hits, memories)
    present = [
        Lane(lane.name, lane.kind, tuple(item for item in lane.items if item.uid in owners))
        for lane in kept
    ]
    there = {item.uid for lane in present for item in lane.items}
    mine = {uid: owner for uid, owner in owners.items() if uid in there}
    classes = {uid: _weighed_as(owner) for uid, owner in mine.items()}
    # Recency joins after the guard: it finds nothing of its own, so it is never the last lane.
    fused_lanes = [*present, _recency(mine)]
    items = fusion.fuse(fused_lanes, _weights(garage), classes, settings.rrf_k)
    return _placed(garage, items, found, mine)


def _weighed_as(owner: Owner) -> str:
    if owner.memory is None:
        return owner.corpus_class
    return _PENDING if owner.is_pending else MEMORY


def _weights(garage: Garage) -> fusion.Weights:
    """Return the weights with those of memories that wait for vectors.

    No vector lane can rank those, so none takes its share from them: words find them in full.
    """
    weights = garage.settings.search.weights
    kinds = {*weights, "vector"}
    table = {kind: weights.get(kind, {}) for kind in kinds}
    waiting = {kind: 0.0 if kind == "vector" else table[kind].get(MEMORY, 1.0) for kind in kinds}
    return {kind: {**table[kind], _PENDING: waiting[kind]} for kind in kinds}


def _placed(
    garage: Garage, items: Sequence[Fused], found: Sequence[Lane], owners: Mapping[str, Owner]
) -> tuple[Fused, ...]:
    """Return items in order once memories of the short tier weigh less and stand behind."""
    if not any(owner.memory for owner in owners.values()):
        return tuple(items)
    near, likely = nearness(garage, found)
    weight = garage.settings.memory.short_weight
    marks = {item.uid: owners[item.uid].memory for item in items}
    candidates = [
        Candidate(
            uid=item.uid,
            score=item.score * (weight if mark and mark.is_short else 1.0),
            nearness=near.get(item.uid),
            is_owners=mark is not None and mark.is_confirmed,
            is_unconfirmed=mark is not None and not mark.is_confirmed,
        )
        for item in items
        for mark in [marks[item.uid]]
    ]
    scores = standing.guarded(candidates, likely)
    weighed = [replace(item, score=scores[item.uid]) for item in items]
    return tuple(sorted(weighed, key=lambda item: (-item.score, item.uid)))


def nearness(garage: Garage, found: Sequence[Lane]) -> tuple[dict[str, float], float]:
    """Return how near each find is to the question, and from where on it is likely an answer.

    By the first model's cosine; while no model can be asked, by the rank that words give.
    """
    likely = {f"vector:{each.slug}": each.low_confidence_cosine for each in garage.embedders}
    for lane in found:
        if lane.kind == "vector" and lane.items:
            return {item.uid: item.score for item in lane.items}, likely.get(lane.name, 0.0)
    words = (item for lane in found for item in lane.items)
    return {item.uid: 1 / item.rank for item in words}, _FIRST_BY_WORDS


def passes(owner: Owner, wanted: Filter) -> bool:
    """Check a find again at its document: indexes are a speed-up, never the guard."""
    return (
        (not wanted.sources or owner.source in wanted.sources)
        and (not wanted.classes or owner.corpus_class in wanted.classes)
        and (not wanted.trusts or owner.trust in wanted.trusts)
    )


def _ranked(found: Sequence[Scored]) -> tuple[Ranked, ...]:
    return tuple(Ranked(item.uid, rank, item.score) for rank, item in enumerate(found, start=1))
