"""Finding: the lanes of a search, asked side by side and fused by rank (`ranking`).

What a lane finds is checked again at its document: indexes are a speed-up, never the guard.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from api.amounts import amount
from api.ops import confidence
from api.ops.confidence import Judged
from api.ops.fusion import Lane, Ranked
from api.ops.garage import Garage
from extraction import embedding
from extraction.providers.base import Embedder
from graphstore import embedding_models, lanes
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import IndexUnavailable, InvalidInput, StoreUnavailable, Unavailable
from graphstore.lanes import Filter, Owner, Scope, Scored

Registered = Future[tuple[tuple[EmbeddingModel, ...], int]]
"""The registered models and how much waits, being looked up."""


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


def passes(owner: Owner, wanted: Filter) -> bool:
    """Check a find again at its document: indexes are a speed-up, never the guard."""
    return (
        (not wanted.sources or owner.source in wanted.sources)
        and (not wanted.classes or owner.corpus_class in wanted.classes)
        and (not wanted.trusts or owner.trust in wanted.trusts)
    )


def _ranked(found: Sequence[Scored]) -> tuple[Ranked, ...]:
    return tuple(Ranked(item.uid, rank, item.score) for rank, item in enumerate(found, start=1))
