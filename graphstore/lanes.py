"""Lanes: ways to find chunks, each a ranked list. Scores of vector lanes are raw cosine.

A lane brings what the documents of its finds say now, read in the same transaction: a chunk
without a document is no find.

Filters never lose recall: source, class and trust are conditions inside the indexes; everything
else selects the documents first, then scores their chunks one by one when they are few, and
searches wider when they are many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from graphstore import lucene
from graphstore.embedding_models import EmbeddingModel
from graphstore.names import normalised
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.session import Graph, Row

FEW_CHUNKS: Final = 5_000
"""Up to so many chunks of selected documents are scored exactly, one by one."""
_MIN_K: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TEXT_INDEX: Final = "ft_chunk"
"""The full-text index over chunks."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search may return. Empty = everything."""

    sources: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    mimes: tuple[str, ...] = ()
    """Whole (`text/html`) or the first part (`text`)."""
    authors: tuple[str, ...] = ()
    """Names, e-mail addresses or identities."""
    since: datetime | None = None
    until: datetime | None = None
    """Half-open: `since <= mtime < until`."""

    @property
    def is_listed(self) -> bool:
        """Whether it needs the list of documents, because an index cannot hold it."""
        return bool(self.mimes or self.authors or self.since or self.until)

    @property
    def is_empty(self) -> bool:
        """Whether it lets everything through."""
        return self == Filter()


@dataclass(frozen=True, slots=True)
class MemoryMark:
    """What ranking wants to know of a memory."""

    status: str
    expires_at: datetime | None
    is_confirmed: bool
    """Whether the owner wrote or confirmed it."""
    is_short: bool
    """Whether it has not yet proved useful."""

    def is_live(self, now: datetime) -> bool:
        """Whether it takes part in a search by itself."""
        return self.status == "active" and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class Owner:
    """What the document of a chunk says about it."""

    changed_on: date
    """Day of its last change, UTC."""
    source: str
    corpus_class: str
    trust: str
    document: str = ""
    memory: MemoryMark | None = None
    """None when it is no memory."""
    vectors: tuple[str, ...] = ()
    """Slugs of the models whose vectors the chunk holds, as far as the lane that found it says."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk found by a lane; lists of these are best first."""

    uid: str
    score: float
    owner: Owner


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a search may look."""

    wanted: Filter
    documents: tuple[str, ...] | None = None
    """The documents that the filter lets through, when an index cannot hold it."""
    chunks: int = 0
    """How many chunks those documents have."""
    spare: int = 0
    """How many more finds a lane is asked for, because so many may be thrown away afterwards."""


EVERYWHERE: Final = Scope(Filter())


def scope(graph: Graph, wanted: Filter) -> Scope:
    """Return where a search with this filter may look."""
    if not wanted.is_listed:
        return Scope(wanted)
    rows = graph.read(
        "documents/matching",
        sources=list(wanted.sources) or None,
        classes=list(wanted.classes) or None,
        trusts=list(wanted.trusts) or None,
        mimes=list(wanted.mimes) or None,
        authors=_author_keys(wanted.authors) or None,
        since=wanted.since,
        until=wanted.until,
    )
    return Scope(wanted, tuple(row["uid"] for row in rows), sum(row["chunks"] for row in rows))


def by_vector(
    graph: Graph, model: EmbeddingModel, vector: Sequence[float], scope: Scope, k: int
) -> tuple[Scored, ...]:
    """Return the `k` chunks nearest to `vector` under one model, and those to spare."""
    near, k = list(vector), k + scope.spare
    if scope.documents is None:
        return _scored(_nearest(graph, model, near, scope.wanted, max(k, _MIN_K)), k)
    if scope.chunks > FEW_CHUNKS:
        documents = frozenset(scope.documents)
        rows = _nearest(graph, model, near, scope.wanted, FEW_CHUNKS)
        found = [row for row in rows if row["document"] in documents]
        if len(found) >= k:
            return _scored(found, k)
    rows = _found(
        graph,
        "chunks/by_vector_exact",
        {"property": model.vector_property},
        vector=near,
        k=k,
        documents=list(scope.documents),
    )
    return _scored(rows, k)


def by_text(graph: Graph, text: str, scope: Scope, k: int) -> tuple[Scored, ...]:
    """Return the `k` chunks that full text ranks first, and those to spare.

    None when there is nothing to look for.
    """
    wanted, k = scope.wanted, k + scope.spare
    query = lucene.query(text, sources=wanted.sources, classes=wanted.classes, trusts=wanted.trusts)
    if query is None:
        return ()
    if scope.documents is None:
        rows = _found(graph, "chunks/by_text", query=query, k=k)
    else:
        documents = list(scope.documents)
        rows = _found(graph, "chunks/by_text_within", query=query, k=k, documents=documents)
    return _scored(rows, k)


def hits(graph: Graph, uids: Sequence[str]) -> dict[str, Row]:
    """Return what hits show, with class, trust and source as their documents have them now."""
    rows = graph.read("chunks/hits", uids=list(uids))
    return {row["uid"]: {**row, "changed_at": _moment(row)} for row in rows}


def texts(graph: Graph, uids: Sequence[str]) -> dict[str, str]:
    """Return what chunks say, each with its context, in no order."""
    return {row["uid"]: row["text"] for row in graph.read("chunks/texts", uids=list(uids))}


def _found(
    graph: Graph, lane: str, substitutions: Mapping[str, str] | None = None, /, **asked: object
) -> list[Row]:
    """Return what a lane finds: one value, because so many rows cost more than the search."""
    return list(graph.read(lane, substitutions, **asked)[0]["found"])


def _scored(rows: Sequence[Row], k: int) -> tuple[Scored, ...]:
    return tuple(Scored(row["uid"], row["score"], _owner(row)) for row in rows[:k])


def _owner(row: Row) -> Owner:
    return Owner(
        changed_on=(_EPOCH + timedelta(seconds=row["changed_s"])).date(),
        source=row["source"],
        corpus_class=row["class"],
        trust=row["trust"],
        document=row["document"],
        memory=_mark(row["memory"]) if row["memory"] else None,
        vectors=tuple(row.get("vectors", ())),
    )


def _mark(memory: Row) -> MemoryMark:
    expires_s = memory["expires_s"]
    return MemoryMark(
        status=memory["status"],
        expires_at=None if expires_s is None else _EPOCH + timedelta(seconds=expires_s),
        is_confirmed=bool(memory["confirmed"]),
        is_short=memory["tier"] == "short",
    )


def _moment(row: Row) -> datetime:
    # Of numbers: the driver takes ten times as long to make a moment with a zone.
    return _EPOCH + timedelta(seconds=row["changed_s"], microseconds=row["changed_us"])


def _nearest(
    graph: Graph, model: EmbeddingModel, vector: list[float], wanted: Filter, k: int
) -> list[Row]:
    index = {"index": model.chunk_index}
    if wanted.is_empty:
        return _found(graph, "chunks/by_vector", index, vector=vector, k=k)
    return _found(
        graph,
        "chunks/by_vector_filtered",
        index,
        vector=vector,
        k=k,
        sources=list(wanted.sources) or _slugs(graph),
        classes=list(wanted.classes or CLASSES),
        trusts=list(wanted.trusts or TRUST_TIERS),
    )


def _slugs(graph: Graph) -> list[str]:
    return [row["slug"] for row in graph.read("sources/slugs")]


def _author_keys(authors: Sequence[str]) -> list[str]:
    """Return what an author may be found by: a normalised name, or an identity."""
    folded = [normalised(author) for author in authors]
    return folded + [f"email:{author}" for author in folded if "@" in author]
