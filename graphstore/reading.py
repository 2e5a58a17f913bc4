"""Reading: documents as they are stored, found by uid, address or path."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphstore.errors import Conflict, NotFound
from graphstore.records import Form
from graphstore.session import Graph, Row

_SHOWN: Final = 5
"""Documents that are named when a path may mean several."""


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document, without its text."""

    uid: str
    uri: str
    source: str
    path: str
    title: str
    mime: str
    language: str
    corpus_class: str
    trust: str
    content_sha256: str
    bytes: int
    characters: int
    tokens: int
    chunks: int
    changed_at: datetime
    """When its content was last changed, as the source tells."""
    created_at: datetime
    updated_at: datetime
    authors: tuple[str, ...] = ()
    replies_to: tuple[str, ...] = ()
    """Addresses of the messages it answers."""
    thread: tuple[str, ...] = ()
    """Address of its thread's first message, when it is another."""
    attachment_of: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    pending_chunks: int = 0
    """Chunks that still wait for a vector."""
    is_memory: bool = False
    form: Form = "text"
    """Known of a document that was looked up; in lists it is left out."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk of a document, in order. Offsets are code points of the document's text."""

    uid: str
    ordinal: int
    start: int
    end: int
    heading: str
    text: str


def find(graph: Graph, reference: str) -> Document:
    """Return the one document with this uid, uri or path.

    Raises:
        NotFound: there is none.
        Conflict: several sources hold a document at this path.
    """
    uids = [row["uid"] for row in graph.read("documents/locate", reference=reference)]
    first, *others = details(graph, uids[:_SHOWN]) or (None,)
    if first is None:
        message = f"There is no document '{reference}'."
        raise NotFound(
            message,
            hint="Name it by uri (source:path) or path, as a search shows, or by its uid.",
        )
    if others:
        uris = ", ".join(each.uri for each in (first, *others) if each)
        raise Conflict(f"'{reference}' may be: {uris}.", hint="Name it by uri or uid.")
    return first


def details(graph: Graph, uids: Sequence[str]) -> tuple[Document, ...]:
    """Return documents with what their neighbours tell, by uri; without those that are gone."""
    return tuple(_found(row) for row in graph.read("documents/details", uids=list(uids)))


def models_of(graph: Graph, uid: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the slugs of the models that hold all its vectors, and of those that lack some."""
    row = graph.read("documents/models", uid=uid)[0]
    return tuple(row["embedded"]), tuple(row["pending"])


def chunks(graph: Graph, uid: str) -> tuple[ChunkText, ...]:
    """Return the chunks of a document; joined in order they are its text."""
    return tuple(ChunkText(**row) for row in graph.read("documents/text", uid=uid))


def chunks_between(graph: Graph, uid: str, start: int, end: int) -> tuple[ChunkText, ...]:
    """Return the chunks of a document that begin at `start` or later and before `end`."""
    rows = graph.read("documents/text_between", uid=uid, start=start, end=end)
    return tuple(ChunkText(**row) for row in rows)


def place(graph: Graph, uid: str, chunk: str) -> int | None:
    """Return where a chunk of a document begins; None when the document has no such chunk."""
    rows = graph.read("documents/chunk_place", uid=uid, chunk=chunk)
    return int(rows[0]["start"]) if rows else None


def listed(
    graph: Graph, source: str | None, after: tuple[datetime, str] | None, limit: int
) -> tuple[Document, ...]:
    """Return documents, last changed first, after the (changed_at, uid) of the last one seen."""
    rows = graph.read(
        "documents/list",
        source=source,
        after_mtime=after[0] if after else None,
        after_uid=after[1] if after else None,
        limit=limit,
    )
    return tuple(_document(row["document"]) for row in rows)


def count(graph: Graph, source: str | None) -> int:
    """Return how many documents a source, or all of them, hold."""
    return int(graph.read("documents/count", source=source)[0]["total"])


def counts(graph: Graph) -> Row:
    """Return how much of everything there is, by name."""
    return graph.read("graph/counts")[0]


def _document(row: Row) -> Document:
    return Document(**_renamed(row))


def _found(row: Row) -> Document:
    return Document(
        **_renamed(row["document"]),
        authors=tuple(author["name"] for author in row["authors"]),
        replies_to=tuple(row["replies_to"]),
        thread=tuple(row["thread"]),
        attachment_of=tuple(row["attachment_of"]),
        attachments=tuple(row["attachments"]),
        pending_chunks=row["pending_chunks"],
    )


def _renamed(row: Row) -> Row:
    """Return a document's properties by their names in Python."""
    names = {"class": "corpus_class", "mtime": "changed_at"}
    return {names.get(key, key): value for key, value in row.items()}
