"""Embedding models: each owns a vector property and a vector index; vectors of two never mix.

A model is `filling` while texts lack its vector and `active` once all have it; search asks the
active ones. What lacks a vector carries the label `Unembedded`, so a backfill never scans the
corpus.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from graphstore import journal, queries
from graphstore.errors import Conflict
from graphstore.journal import Activity
from graphstore.schema import await_indexes
from graphstore.session import Graph, Row, Transaction

_LABEL_BATCH: Final = 10_000
_HNSW: Final = {
    "vector.similarity_function": "cosine",
    # The server's own default is binary, which loses recall.
    "vector.quantization.type": "scalar",
    "vector.hnsw.m": 32,
    "vector.hnsw.ef_construction": 200,
}


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model as it is registered."""

    name: str
    slug: str
    provider: str
    dimensions: int
    fingerprint: str
    """SHA-256 of the weights: another fingerprint is another model. Empty = not known yet."""
    state: str = "filling"
    error: str | None = None
    """Why its texts are pending, when its provider failed last."""

    @property
    def vector_property(self) -> str:
        """The property that holds its vectors."""
        return f"vec_{self.slug}"

    @property
    def refusal_property(self) -> str:
        """The property that holds why a text has no vector."""
        return f"embed_error_{self.slug}"

    @property
    def chunk_index(self) -> str:
        """The vector index over chunks."""
        return f"vec_{self.slug}_chunk"


@dataclass(frozen=True, slots=True)
class Pending:
    """How much of a model is still to do."""

    slug: str
    pending: int
    refused: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Text:
    """A text that waits for a vector."""

    uid: str
    context: str
    text: str
    corpus_class: str
    content_sha256: str


def register(graph: Graph, model: EmbeddingModel, activity: Activity) -> EmbeddingModel:
    """Register a model with its index, label what lacks its vector, and return it as it stands.

    `activity` is logged when the model is new.

    Raises:
        Conflict: a model of this slug has other weights.
    """
    properties = {
        "name": model.name,
        "provider": model.provider,
        "dimensions": model.dimensions,
        "fingerprint": model.fingerprint,
        "state": model.state,
    }
    known = {each.slug: each for each in listed(graph)}.get(model.slug)
    if known and known.state == "active" and known.fingerprint == model.fingerprint:
        # Active means that its index is there and that every text was labelled for it.
        return known
    found = graph.write(lambda tx: _put(tx, model.slug, properties, activity))
    if found != model.fingerprint:
        message = f"The embedding model '{model.slug}' is registered with other weights."
        raise Conflict(message, hint="Register the new weights under a new name.")
    create_index(graph, model)
    await_indexes(graph)
    while _label_some(graph, model):
        pass
    return settle(graph, model.slug)


def announce(graph: Graph, model: EmbeddingModel, error: str, activity: Activity) -> EmbeddingModel:
    """Say of a model that it cannot be asked yet, and why; texts wait for it from now on.

    `activity` is logged when the model is new.
    """
    known = {each.slug: each for each in listed(graph)}.get(model.slug)
    if known is None:
        properties = {
            "name": model.name,
            "provider": model.provider,
            "dimensions": 0,
            "fingerprint": "",
            "state": "filling",
        }
        graph.write(lambda tx: _put(tx, model.slug, properties, activity))
    set_state(graph, model.slug, known.state if known else "filling", error)
    while _label_some(graph, model):
        pass
    return next(each for each in listed(graph) if each.slug == model.slug)


def listed(graph: Graph) -> tuple[EmbeddingModel, ...]:
    """Return the registered models, by slug."""
    return standing(graph)[0]


def standing(graph: Graph) -> tuple[tuple[EmbeddingModel, ...], int]:
    """Return the registered models, by slug, and how many texts lack the vector of one of them."""
    rows = graph.read("models/list")
    waiting = max((int(row.pop("waiting")) for row in rows), default=0)
    return tuple(EmbeddingModel(**row) for row in rows), waiting


def pending(graph: Graph, model: EmbeddingModel) -> Pending:
    """Count what waits for a vector of this model, and what was refused one."""
    refused = graph.read("chunks/count_refused", slug=model.slug)[0]["refused"]
    return Pending(model.slug, lacking(graph, model), refused, model.error)


def lacking(graph: Graph, model: EmbeddingModel) -> int:
    """Return how many texts wait for a vector of this model."""
    rows = graph.read("chunks/count_pending", {"property": model.vector_property}, slug=model.slug)
    return int(rows[0]["pending"])


def settle(graph: Graph, slug: str) -> EmbeddingModel:
    """Make a model active when nothing waits for it any more; return it as it stands."""
    model = next(model for model in listed(graph) if model.slug == slug)
    if model.state == "filling" and model.fingerprint and lacking(graph, model) == 0:
        set_state(graph, slug, "active", None)
        model = next(model for model in listed(graph) if model.slug == slug)
    return model


def set_state(graph: Graph, slug: str, state: str, error: str | None) -> None:
    """Set a model's state and what its provider last failed with."""
    graph.write(lambda tx: tx.run("models/set_state", slug=slug, state=state, error=error))


def texts(graph: Graph, model: EmbeddingModel, limit: int) -> tuple[Text, ...]:
    """Return the next texts that wait for a vector of this model."""
    rows = graph.read(
        "chunks/pending", {"property": model.vector_property}, slug=model.slug, limit=limit
    )
    return _texts(rows)


def texts_of(graph: Graph, model: EmbeddingModel, documents: Sequence[str]) -> tuple[Text, ...]:
    """Return the texts of these documents that wait for a vector of this model."""
    rows = graph.read(
        "chunks/pending_of",
        {"property": model.vector_property},
        slug=model.slug,
        documents=list(documents),
    )
    return _texts(rows)


def write(
    graph: Graph,
    model: EmbeddingModel,
    vectors: Sequence[tuple[Text, Sequence[float]]],
    refusals: Sequence[tuple[Text, str]],
    activity: Activity,
) -> Activity:
    """Write vectors and refusals of texts that are still as they were.

    Vectors must have been checked: width, finiteness, norm. Returns `activity` with what was
    written added to its counts, as it is logged: batches that share one are one entry.
    """
    slugs = [each.slug for each in listed(graph) if each.state != "retired"]
    rows = [
        {"uid": text.uid, "content_sha256": text.content_sha256, "vector": list(vector)}
        for text, vector in vectors
    ]
    reasons = [
        {"uid": text.uid, "content_sha256": text.content_sha256, "reason": reason}
        for text, reason in refusals
    ]

    def work(tx: Transaction) -> Activity:
        version = tx.run("graph/advance", count=0)[0]["version"]
        written = tx.run(
            "chunks/set_vectors",
            {"property": model.vector_property},
            rows=rows,
            slugs=slugs,
            version=version,
        )
        refused = tx.run(
            "chunks/set_refusals", {"property": model.refusal_property}, rows=reasons, slugs=slugs
        )
        counted = _counted(activity, written[0]["written"], refused[0]["refused"])
        if counted != activity:
            journal.record(tx, counted)
        return counted

    return graph.write(work)


def _texts(rows: Sequence[Row]) -> tuple[Text, ...]:
    return tuple(
        Text(row["uid"], row["context"], row["text"], row["class"], row["content_sha256"])
        for row in rows
    )


def _put(tx: Transaction, slug: str, properties: Row, activity: Activity) -> str:
    """Register the model unless it is there; return the fingerprint that is registered."""
    row = tx.run("models/put", slug=slug, properties=properties, now=activity.at)[0]
    if row["created"]:
        journal.record(tx, activity)
    return str(row["fingerprint"])


def _counted(activity: Activity, embedded: int, refused: int) -> Activity:
    counts = Counter(activity.counts) + Counter(embedded=embedded, refused=refused)
    return replace(activity, counts=dict(counts))


def create_index(graph: Graph, model: EmbeddingModel) -> None:
    """Make the vector index of a model, where it is not there; it fills in the background."""
    options: dict[str, Any] = {"indexConfig": {"vector.dimensions": model.dimensions, **_HNSW}}
    statements = queries.statements(
        "templates/vector_chunk", index=model.chunk_index, property=model.vector_property
    )
    for statement in statements:
        graph.schema(statement, options=options)


def _label_some(graph: Graph, model: EmbeddingModel) -> int:
    rows = graph.write(
        lambda tx: tx.run(
            "models/label", {"property": model.vector_property}, slug=model.slug, limit=_LABEL_BATCH
        )
    )
    return int(rows[0]["labelled"])
