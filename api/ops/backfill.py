"""Backfill: every text gets the vector of every model; resumable, and never in a write's way.

Texts are fetched, embedded with no transaction open, and written in batches. A model that fails as
a whole leaves its texts pending and says why; a text that a model cannot take is refused alone,
with its reason, and is not tried again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from api.ops.garage import SERVICE, Garage, Stop, activity
from extraction import embedding
from extraction.context import embedded_text
from extraction.embedding import Passage, Refusal
from extraction.providers.base import Embedder
from graphstore import embedding_models
from graphstore.embedding_models import EmbeddingModel, Text
from graphstore.errors import Unavailable
from graphstore.journal import Activity


@dataclass(frozen=True, slots=True)
class Filled:
    """What a backfill did for one model."""

    slug: str
    embedded: int
    refused: int
    error: str | None = None
    """Why it stopped; None = nothing is pending, or the caller stopped it."""


def register(garage: Garage) -> tuple[EmbeddingModel, ...]:
    """Register the models of the settings in the graph, each with its index."""
    return tuple(
        embedding_models.register(
            garage.graph,
            EmbeddingModel(
                name=embedder.name,
                slug=embedder.slug,
                provider=embedder.provider,
                dimensions=embedder.dimensions,
                fingerprint=embedder.fingerprint,
            ),
            activity(garage, SERVICE, "register-model", targets=(f"model:{embedder.slug}",)),
        )
        for embedder in garage.embedders
    )


def fill(
    garage: Garage, stop: Stop, report: Callable[[str, int], None] = lambda _slug, _count: None
) -> tuple[Filled, ...]:
    """Embed what is pending under every model; `report` hears slug and number after each batch."""
    models = {model.slug: model for model in embedding_models.listed(garage.graph)}
    return tuple(
        _fill_one(garage, models[embedder.slug], embedder, stop, report)
        for embedder in garage.embedders
        if embedder.slug in models
    )


def _fill_one(
    garage: Garage,
    model: EmbeddingModel,
    embedder: Embedder,
    stop: Stop,
    report: Callable[[str, int], None],
) -> Filled:
    log = activity(garage, SERVICE, "embed", targets=(f"model:{model.slug}",))
    while not stop.is_set():
        texts = embedding_models.texts(garage.graph, model, garage.settings.maintenance.embed_batch)
        if not texts:
            if model.error:
                embedding_models.set_state(garage.graph, model.slug, model.state, None)
            embedding_models.settle(garage.graph, model.slug)
            break
        try:
            written = _embed(garage, model, embedder, texts, stop)
            logged = embedding_models.write(garage.graph, model, *written, log)
        except Unavailable as error:
            embedding_models.set_state(garage.graph, model.slug, model.state, error.message)
            return _filled(log, model, error.message)
        report(model.slug, logged.counts.get("embedded", 0) - log.counts.get("embedded", 0))
        log = logged
        if model.error:
            model = replace(model, error=None)
            embedding_models.set_state(garage.graph, model.slug, model.state, None)
    return _filled(log, model, None)


def _filled(log: Activity, model: EmbeddingModel, error: str | None) -> Filled:
    counts = log.counts
    return Filled(model.slug, counts.get("embedded", 0), counts.get("refused", 0), error)


def _embed(
    garage: Garage,
    model: EmbeddingModel,
    embedder: Embedder,
    texts: tuple[Text, ...],
    stop: Stop,
) -> tuple[list[tuple[Text, list[float]]], list[tuple[Text, str]]]:
    """Embed texts with no transaction open; return their vectors, and why some have none.

    A stop ends the batch early: what was embedded is returned.
    """
    vectors: list[tuple[Text, list[float]]] = []
    refusals: list[tuple[Text, str]] = []
    for text in texts:
        if stop.is_set():
            break
        passage = Passage(embedded_text(text.context, text.text), text.corpus_class)
        (result,) = embedding.embed(embedder, [passage])
        if isinstance(result, Refusal):
            refusals.append((text, result.reason))
        else:
            vectors.append((text, result.tolist()))
    return vectors, refusals
