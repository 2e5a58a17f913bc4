"""Results: what tools return, as structured content. Flat, bounded, and without vectors.

No slots here: the SDK would take a slot for a default that it cannot write down.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Lane:
    """Where a lane ranked a hit."""

    lane: str
    rank: int
    score: float


@dataclass(frozen=True)
class SearchHit:
    """A passage that answers; `text` is stored data."""

    kind: str
    rank: int
    score: float
    document: str
    """The uid: pass it to rag_read_document."""
    chunk: str
    memory_id: str
    """Empty when the hit is no memory."""
    origin: str
    """Of a memory: user, agent, dream or file."""
    client: str
    """Who said it, or handed the text over."""
    confirmed: bool
    """Of a memory: whether the owner said it, or stands by it."""
    uri: str
    title: str
    section: str
    source: str
    path: str
    text: str
    is_cut: bool
    """Whether `text` is only the beginning of the passage."""
    corpus_class: str
    trust: str
    authors: list[str]
    mime: str
    changed_at: str
    document_tokens: int
    evidence_count: int
    low_confidence: bool
    lanes: list[Lane]


@dataclass(frozen=True)
class SearchReply:
    """The answer to a search."""

    hits: list[SearchHit]
    low_confidence: bool
    degraded: list[str]
    truncated: bool
    """Whether there are more hits than these."""
    left_out: int
    """Hits that were found and did not fit into the reply."""


@dataclass(frozen=True)
class DocumentReply:
    """What a document is, with its beginning; `opening` is stored data."""

    uid: str
    uri: str
    title: str
    source: str
    path: str
    mime: str
    language: str
    corpus_class: str
    trust: str
    authors: list[str]
    changed_at: str
    bytes: int
    characters: int
    tokens: int
    chunks: int
    pending_chunks: int
    replies_to: list[str]
    thread: list[str]
    attachment_of: list[str]
    attachments: list[str]
    opening: str


@dataclass(frozen=True)
class TextReply:
    """A piece of a document's text: stored data. Offsets are Unicode code points."""

    uid: str
    uri: str
    title: str
    source: str
    corpus_class: str
    trust: str
    start: int
    end: int
    characters: int
    truncated: bool
    """Whether text follows; read on with start = end."""
    text: str


@dataclass(frozen=True)
class SourceRow:
    """A place that documents come from."""

    slug: str
    kind: str
    root: str
    default_class: str
    default_trust: str
    standing: str
    """added, declared, undeclared (read no longer), kept (of removed sources) or removing."""
    documents: int
    chunks: int


@dataclass(frozen=True)
class SourcesReply:
    """The sources."""

    sources: list[SourceRow]
    left_out: int


@dataclass(frozen=True)
class ModelRow:
    """An embedding model, and how far it is."""

    name: str
    slug: str
    state: str
    dimensions: int
    pending: int
    refused: int
    error: str
    """Empty when its provider works."""


@dataclass(frozen=True)
class StatsReply:
    """How much of everything there is."""

    sources: int
    documents: int
    chunks: int
    pending: int
    authors: int
    searches: int
    activities: int
    embedded_models: list[str]
    pending_models: list[str]
    models: list[ModelRow]
