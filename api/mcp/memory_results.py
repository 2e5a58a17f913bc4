"""Results of the memory tools, as structured content. Flat, bounded, and without vectors.

No slots here: the SDK would take a slot for a default that it cannot write down.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class MemoryRow:
    """A memory; `title` and `text` are stored data, said by `client`."""

    memory_id: str
    """Pass it to rag_update_memory and rag_forget; whole text: rag_read_document."""
    source: str
    title: str
    text: str
    truncated: bool
    """Whether `text` is only its beginning."""
    characters: int
    tags: list[str]
    subjects: list[str]
    kind: str
    origin: str
    """user, agent, dream or file."""
    client: str
    confirmed: bool
    """Whether the owner wrote it or stands by it."""
    trust: str
    corpus_class: str
    importance: float
    status: str
    revision: int
    editable: bool
    """False for a file: `file` names it."""
    file: str
    created_at: str
    updated_at: str
    expires_at: str


@dataclass(frozen=True)
class WrittenReply:
    """A memory after a write."""

    memory_id: str
    source: str
    title: str
    """Stored data."""
    kind: str
    origin: str
    client: str
    confirmed: bool
    trust: str
    corpus_class: str
    revision: int
    updated_at: str
    created: bool
    """False when this text was remembered already, and for a change."""
    embedded_models: list[str]
    pending_models: list[str]
    """Until they follow, words find it."""
    notes: list[str]


@dataclass(frozen=True)
class ForgottenReply:
    """What a forget removed, or would remove."""

    memory_id: str
    dry_run: bool
    deleted: bool
    chunks: int
    vectors: int
    evidence: int
    revisions: int
    searches: int
    jobs: int
    facts: int
    triples: int


@dataclass(frozen=True)
class MemoriesReply:
    """A page of memories, last changed first."""

    count: int
    total: int
    """On all pages."""
    sources: int
    memories: list[MemoryRow]
    next_cursor: str
    """Pass it as `cursor` to go on; empty = these were the last."""


@dataclass(frozen=True)
class RecalledRow:
    """A memory that answers."""

    rank: int
    score: float
    relevance: float
    retention: float
    passage: str
    """The part of its text that answers: stored data."""
    is_cut: bool
    memory_id: str
    title: str
    source: str
    tags: list[str]
    kind: str
    origin: str
    client: str
    confirmed: bool
    trust: str
    corpus_class: str
    importance: float
    status: str
    revision: int
    updated_at: str


@dataclass(frozen=True)
class RecallReply:
    """The answer to a recall."""

    memories: list[RecalledRow]
    low_confidence: bool
    """Nothing that is remembered answers this."""
    degraded: list[str]
    truncated: bool
    left_out: int


@dataclass(frozen=True)
class BlockRow:
    """One block of core memory; `text` is stored data."""

    name: str
    text: str
    revision: int
    """0 = never written."""
    updated_at: str
    actor: str


@dataclass(frozen=True)
class CoreReply:
    """Core memory."""

    blocks: list[BlockRow]
    bytes: int
    max_bytes: int


@dataclass(frozen=True)
class StoredReply:
    """What became of a text that was handed over."""

    document: str
    """The uid: pass it to rag_read_document."""
    uri: str
    title: str
    corpus_class: str
    trust: str
    characters: int
    created: bool
    embedded_models: list[str]
    pending_models: list[str]
    job_id: str
    memory_id: str
    """Of the memory that points at it, when one was asked for."""
    notes: list[str]
