"""Doctor: every part of a running service with its state, and what mends it.

What stands outside the service (settings, folders, Java, the service itself) is looked at by the
command line; this is the database, the models, the sources, and a round trip through all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from api.amounts import amount
from api.ops.garage import Caller, Garage, activity
from extraction import embedding
from extraction.providers.base import Embedder
from graphstore import embedding_models, health, jobs, journal, lanes, sources
from graphstore.clock import new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import GarageError
from graphstore.health import MISSING, ONLINE, IndexState

State = Literal["ok", "warning", "failed"]
_FIX: Final = "garage doctor --fix"
_SENTENCE: Final = "A sentence to see whether the model answers."
_WORDS: Final = 16
_NEAR: Final = 100


@dataclass(frozen=True, slots=True)
class Check:
    """How a part stands."""

    part: str
    state: State
    detail: str
    next_step: str = ""
    """The command, or the act, that mends it; empty when nothing is wrong."""


def checks(garage: Garage) -> tuple[Check, ...]:
    """Look at every part; what cannot be looked at is a failed check, never an error."""
    found: list[Check] = []
    for part, look in _LOOKS.items():
        try:
            found += look(garage)
        except GarageError as error:
            found.append(Check(part, "failed", error.message, error.hint))
    return tuple(found)


def repair(garage: Garage, caller: Caller) -> tuple[str, ...]:
    """Make missing and failed indexes anew; return their names. They fill in the background."""
    made = health.repair(garage.graph)
    if made:
        log = activity(garage, caller, "repair", targets=tuple(f"index:{name}" for name in made))
        garage.graph.write(lambda tx: journal.record(tx, log))
    garage.wake_embedding()
    return made


def _server(garage: Garage) -> Iterator[Check]:
    found = health.server(garage.graph)
    yield Check("neo4j", "ok", f"{found.version} {found.edition}, vector search with filters")
    for setting in found.talkative:
        yield Check(
            "neo4j",
            "warning",
            f"The server may tell others about itself: {setting} is on.",
            f"Set {setting}=false in its neo4j.conf.",
        )


def _writes(garage: Garage) -> Iterator[Check]:
    health.try_write(garage.graph, new_uid())
    yield Check("writes", "ok", "The database takes them.")


def _indexes(garage: Garage) -> Iterator[Check]:
    found = health.indexes(garage.graph)
    online = [index for index in found if index.state == ONLINE]
    if len(online) == len(found):
        yield Check("indexes", "ok", f"{len(online)} are online.")
    for index in found:
        if index.state != ONLINE:
            yield _unready(index)


def _unready(index: IndexState) -> Check:
    if index.state == MISSING:
        return Check("indexes", "failed", f"{index.name} is missing.", _FIX)
    if index.state == "POPULATING":
        detail = f"{index.name} fills: {index.progress:.0f} %."
        return Check("indexes", "warning", detail, "Wait; searches go without it meanwhile.")
    return Check("indexes", "failed", f"{index.name} failed: {index.failure}"[:300], _FIX)


def _graph(garage: Garage) -> Iterator[Check]:
    found = health.strays(garage.graph)
    if not found:
        yield Check("graph", "ok", "Nothing is torn or without its owner.")
    for name, things in found.items():
        detail = f"{name.replace('_', ' ')}: {len(things)} found, the first is {things[0]}"
        yield Check("graph", "warning", detail[:300], "garage ingest")


def _models(garage: Garage) -> Iterator[Check]:
    stored = {model.slug: model for model in embedding_models.listed(garage.graph)}
    widths = {index.name: index.dimensions for index in health.indexes(garage.graph)}
    for embedder in garage.embedders:
        model = stored.get(embedder.slug)
        if model is None:
            yield Check("models", "failed", f"{embedder.name} is not registered.", "garage stop")
            continue
        yield _model(garage, model, embedder, widths.get(model.chunk_index))


def _model(garage: Garage, model: EmbeddingModel, embedder: Embedder, width: int | None) -> Check:
    defect = _defect(embedder, model, width)
    if defect:
        return Check("models", "failed", f"{model.name}: {defect}", "garage status")
    pending = embedding_models.pending(garage.graph, model)
    detail = f"{model.name}: {model.state}, {model.dimensions} dimensions"
    if pending.pending:
        why = f" ({pending.error})" if pending.error else ""
        return Check(
            "models",
            "warning",
            f"{detail}, {amount(pending.pending, 'chunk')} without a vector{why}",
            "Wait; words find them meanwhile.",
        )
    if pending.refused:
        detail = f"{detail}, {amount(pending.refused, 'chunk')} refused by it"
        return Check("models", "warning", detail, "Words find them; nothing more can be done.")
    return Check("models", "ok", f"{detail}, nothing waits")


def _defect(embedder: Embedder, model: EmbeddingModel, width: int | None) -> str:
    """Return what is wrong with the model's vectors; empty when nothing is."""
    try:
        vector = embedder.embed_query(_SENTENCE)
    except GarageError as error:
        return str(error)
    if defect := embedding.check(vector, model.dimensions):
        return defect
    if width is not None and width != model.dimensions:
        return f"its index takes {width} dimensions, the model gives {model.dimensions}."
    return ""


def _sources(garage: Garage) -> Iterator[Check]:
    for source in sources.listed(garage.graph):
        counted = f"{source.slug}: {amount(source.documents, 'document')}"
        if "://" in source.root or Path(source.root).exists():
            yield Check("sources", "ok", counted)
        else:
            yield Check(
                "sources",
                "warning",
                f"{counted}; its root {source.root} is not there.",
                f"Bring it back, or: garage remove-source {source.slug}",
            )


def _queue(garage: Garage) -> Iterator[Check]:
    found = jobs.counts(garage.graph)
    told = f"{found.queued:,} ready, {found.waiting:,} wait, {found.running:,} run"
    if found.failed:
        detail = f"{found.failed:,} jobs failed; {told}."
        yield Check("queue", "warning", detail, "garage jobs list --state failed")
    else:
        yield Check("queue", "ok", f"Jobs: {told}, none failed.")


def _round_trip(garage: Garage) -> Iterator[Check]:
    newest = health.newest_chunk(garage.graph)
    if newest is None:
        yield Check("search", "ok", "Nothing is stored yet.", "garage add-source notes ~/notes")
        return
    uid, text, waits = newest
    query = " ".join(text.split()[:_WORDS])
    words = lanes.by_text(garage.graph, query, lanes.EVERYWHERE, _NEAR)
    yield _found("words", uid, [each.uid for each in words])
    if waits:
        return
    stored = {model.slug: model for model in embedding_models.listed(garage.graph)}
    for embedder in garage.embedders:
        if model := stored.get(embedder.slug):
            vector = embedder.embed_query(query).tolist()
            near = lanes.by_vector(garage.graph, model, vector, lanes.EVERYWHERE, _NEAR)
            yield _found(f"meaning ({model.slug})", uid, [each.uid for each in near])


def _found(how: str, uid: str, found: list[str]) -> Check:
    if uid in found:
        place = found.index(uid) + 1
        return Check("search", "ok", f"By {how}, a stored passage is found at rank {place}.")
    detail = f"By {how}, a stored passage is not among the first {_NEAR}."
    return Check("search", "warning", detail, "Common words hide it, or an index is incomplete.")


_LOOKS: Final[dict[str, Callable[[Garage], Iterator[Check]]]] = {
    "neo4j": _server,
    "writes": _writes,
    "indexes": _indexes,
    "graph": _graph,
    "models": _models,
    "sources": _sources,
    "queue": _queue,
    "search": _round_trip,
}
"""What is looked at, in this order."""
