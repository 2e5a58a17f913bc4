"""Backfill: every text gets the vector of every model; resumable, and never in a write's way.

Texts are fetched, embedded with no transaction open, and written in batches. A model that fails as
a whole leaves its texts pending and says why; a text that a model cannot take is refused alone,
with its reason, and is not tried again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from api.ops.garage import SERVICE, Garage, Stop, activity
from extraction import embedding
from extraction.context import embedded_text
from extraction.embedding import Passage, Refusal
from extraction.errors import ProviderBusy
from extraction.providers.base import Embedder
from graphstore import embedding_models
from graphstore.embedding_models import EmbeddingModel, Text
from graphstore.errors import Conflict, StoreUnavailable, Unavailable
from graphstore.journal import Activity


@dataclass(frozen=True, slots=True)
class Filled:
    """What a backfill did for one model."""

    slug: str
    embedded: int
    refused: int
    error: str | None = None
    """Why it stopped; None = nothing is pending, or the caller stopped it."""
    retry_after_s: float = 0.0
    """Seconds that its provider asked to be left alone."""


@dataclass(slots=True)
class _Filling:
    """One model being filled."""

    garage: Garage
    model: EmbeddingModel
    embedder: Embedder
    stop: Stop
    report: Callable[[str, int], None]
    log: Activity
    """What was written so far."""


def register(garage: Garage) -> tuple[EmbeddingModel, ...]:
    """Register the models of the settings in the graph, each with its index.

    One that cannot be asked, or is another than the one of its name, says so; its texts wait.
    """
    return tuple(_registered(garage, embedder) for embedder in garage.embedders)


def _registered(garage: Garage, embedder: Embedder) -> EmbeddingModel:
    log = _log(garage, embedder, "register-model")
    try:
        embedder.probe()
        return embedding_models.register(garage.graph, _model(embedder), log)
    except (Unavailable, Conflict) as error:
        if isinstance(error, StoreUnavailable):
            raise
        return embedding_models.announce(garage.graph, _model(embedder), str(error), log)


def _model(embedder: Embedder) -> EmbeddingModel:
    return EmbeddingModel(
        name=embedder.name,
        slug=embedder.slug,
        provider=embedder.provider,
        dimensions=embedder.dimensions,
        fingerprint=embedder.fingerprint,
    )


def fill(
    garage: Garage,
    stop: Stop,
    report: Callable[[str, int], None] = lambda _slug, _count: None,
    resting: frozenset[str] = frozenset(),
) -> tuple[Filled, ...]:
    """Embed what is pending under every model but the `resting`; slugs, all of them.

    `report` hears slug and number after each batch.
    """
    models = {model.slug: model for model in embedding_models.listed(garage.graph)}
    return tuple(
        _fill_one(
            _Filling(
                garage,
                models[embedder.slug],
                embedder,
                stop,
                report,
                _log(garage, embedder, "embed"),
            )
        )
        for embedder in garage.embedders
        if embedder.slug in models and embedder.slug not in resting
    )


def fill_documents(garage: Garage, uids: Sequence[str], stop: Stop) -> tuple[Filled, ...]:
    """Embed what is pending of some documents under every model, for somebody who waits for it.

    A model that failed last is not waited for: the worker asks it again, and then fills it.
    """
    models = {model.slug: model for model in embedding_models.listed(garage.graph)}
    known = [(models[e.slug], e) for e in garage.embedders if e.slug in models]
    done = [_fill_some(garage, pair, uids, stop) for pair in known]
    if any(each.error for each in done) or stop.is_set():
        garage.wake_embedding()
    return tuple(done)


def _fill_some(
    garage: Garage, pair: tuple[EmbeddingModel, Embedder], uids: Sequence[str], stop: Stop
) -> Filled:
    model, embedder = pair
    if model.error:
        return Filled(model.slug, 0, 0, model.error)
    log = _log(garage, embedder, "embed")
    filling = _Filling(garage, model, embedder, stop, lambda _slug, _count: None, log)
    try:
        texts = embedding_models.texts_of(garage.graph, model, uids)
        if texts:
            _require_same(filling)
            filling.log = _embed(filling, texts)
    except (Unavailable, Conflict) as error:
        if isinstance(error, StoreUnavailable):
            raise
        return _filled(filling, str(error))
    return _filled(filling)


def _log(garage: Garage, embedder: Embedder, verb: str) -> Activity:
    return activity(garage, SERVICE, verb, targets=(f"model:{embedder.slug}",))


def _fill_one(filling: _Filling) -> Filled:
    model = filling.model
    try:
        _fill_all(filling)
    except (Unavailable, Conflict) as error:
        if isinstance(error, StoreUnavailable):
            raise
        why = str(error)
        embedding_models.set_state(filling.garage.graph, model.slug, filling.model.state, why)
        wait_s = error.retry_after_s if isinstance(error, ProviderBusy) else 0.0
        return _filled(filling, why, wait_s)
    return _filled(filling)


def _filled(filling: _Filling, error: str | None = None, wait_s: float = 0.0) -> Filled:
    counts = filling.log.counts
    embedded, refused = counts.get("embedded", 0), counts.get("refused", 0)
    return Filled(filling.model.slug, embedded, refused, error, wait_s)


def _fill_all(filling: _Filling) -> None:
    """Embed until nothing is pending.

    Raises:
        Unavailable: the model cannot be asked, or is ill; its texts stay pending.
        Conflict: it is another model than the one registered.
    """
    garage, slug = filling.garage, filling.model.slug
    batch = garage.settings.maintenance.embed_batch
    while not filling.stop.is_set():
        texts = embedding_models.texts(garage.graph, filling.model, batch)
        if texts or not filling.model.fingerprint:
            _require_same(filling)
        if not texts:
            if filling.model.error:
                embedding_models.set_state(garage.graph, slug, filling.model.state, None)
            embedding_models.settle(garage.graph, slug)
            return
        before = filling.log.counts.get("embedded", 0)
        filling.log = _embed(filling, texts)
        filling.report(slug, filling.log.counts.get("embedded", 0) - before)
        if filling.model.error:
            filling.model = replace(filling.model, error=None)
            embedding_models.set_state(garage.graph, slug, filling.model.state, None)


def _require_same(filling: _Filling) -> None:
    """Make sure that the embedder is the model that is registered; register it if none is yet."""
    filling.embedder.probe()
    if not filling.model.fingerprint:
        log = _log(filling.garage, filling.embedder, "register-model")
        model = embedding_models.register(filling.garage.graph, _model(filling.embedder), log)
        filling.model = replace(model, error=filling.model.error)
    if filling.embedder.fingerprint != filling.model.fingerprint:
        message = f"{filling.embedder.name} is another model than the one registered by that name."
        hint = "Its vectors would not match. Put the earlier one back, or give it another name."
        raise Conflict(message, hint=hint)


def _embed(filling: _Filling, texts: Sequence[Text]) -> Activity:
    """Embed texts with no transaction open, then write them; return the log of the pass so far.

    A stop ends the batch early: what was embedded is written.
    """
    vectors: list[tuple[Text, list[float]]] = []
    refusals: list[tuple[Text, str]] = []
    withheld = 0
    for text in texts:
        if filling.stop.is_set():
            break
        passage = Passage(embedded_text(text.context, text.text), text.corpus_class)
        (result,) = embedding.embed(filling.embedder, [passage])
        if isinstance(result, Refusal):
            refusals.append((text, result.reason))
            withheld += result.is_withheld
        else:
            vectors.append((text, result.tolist()))
    if len(refusals) > withheld:
        # Before texts are given up: it may be the model that is ill.
        embedding.require_well(filling.embedder)
    # A server may have changed the model while it was asked.
    _require_same(filling)
    return embedding_models.write(
        filling.garage.graph, filling.model, vectors, refusals, filling.log
    )
