"""Replies of the memory tools: records of the operations, bounded. Pure.

A page of memories brings texts whole, as many as fit; its cursor goes on after the last of them.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

from api.mcp import budget
from api.mcp.memory_results import (
    BlockRow,
    CoreReply,
    ForgottenReply,
    MemoriesReply,
    MemoryRow,
    RecalledRow,
    RecallReply,
    StoredReply,
    WrittenReply,
)
from api.mcp.replies import shown, size
from api.ops import core_memory, memories, memory_lists, recall, store
from graphstore.memories import Memory

_ROOM: Final = budget.STRUCTURED_BYTES - 1_000
_TEXT: Final = 12_000
"""Bytes of the text of one memory."""
_RECALLED_OVERHEAD: Final = 700
_LABELS_BYTES: Final = 1_000


def written(record: memories.Remembered) -> WrittenReply:
    """Return the reply to a write."""
    return shown(
        WrittenReply,
        record.memory,
        memory_id=record.memory.uid,
        title=budget.cut(record.memory.title, 500),
        client=budget.cut(record.memory.client, 200),
        updated_at=_said(record.memory.updated_at),
        created=record.created,
        notes=list(record.notes),
        embedded_models=list(record.embedded_models),
        pending_models=list(record.pending_models),
    )


def forgotten(record: memories.Forgotten) -> ForgottenReply:
    """Return what a forget removed, or would remove."""
    return ForgottenReply(
        memory_id=record.memory_id,
        dry_run=record.dry_run,
        deleted=not record.dry_run,
        **asdict(record.removed),
    )


def page(record: memory_lists.MemoryPage) -> MemoriesReply:
    """Return the first memories of a page that fit."""
    rows = [_row(each, _TEXT) for each in record.memories]
    kept = budget.fitting(rows, size, _ROOM)
    is_whole = len(kept) == len(rows)
    following = record.next_cursor or ""
    return MemoriesReply(
        count=len(kept),
        total=record.total,
        sources=record.sources,
        memories=list(kept),
        next_cursor=following if is_whole else memory_lists.cursor(record.memories[len(kept) - 1]),
    )


def recalled(record: recall.RecallResult) -> RecallReply:
    """Return the answer to a recall: every passage as long as fits, then as many as fit."""
    room = budget.share(len(record.memories), _RECALLED_OVERHEAD)
    rows = [_recalled(each, room) for each in record.memories]
    kept = budget.fitting(rows, size, budget.STRUCTURED_BYTES)
    return RecallReply(
        memories=list(kept),
        low_confidence=record.low_confidence,
        degraded=list(record.degraded),
        truncated=record.truncated or len(kept) < len(rows),
        left_out=len(rows) - len(kept),
    )


def core(record: core_memory.CoreMemory) -> CoreReply:
    """Return core memory, which always fits."""
    blocks = [shown(BlockRow, each, updated_at=_said(each.updated_at)) for each in record.blocks]
    return CoreReply(blocks, record.bytes, core_memory.MAX_BYTES)


def stored(record: store.StoreResult) -> StoredReply:
    """Return what became of a text that was handed over."""
    return shown(
        StoredReply,
        record.document,
        document=record.document.uid,
        title=budget.cut(record.document.title, 500),
        created=record.created,
        embedded_models=list(record.embedded_models),
        pending_models=list(record.pending_models),
        job_id=record.job_uid or "",
        memory_id=record.memory.memory.uid if record.memory else "",
        notes=list(record.notes),
    )


def _row(memory: Memory, most_bytes: int) -> MemoryRow:
    text = budget.cut(memory.text, most_bytes)
    return shown(
        MemoryRow,
        memory,
        memory_id=memory.uid,
        title=budget.cut(memory.title, 500),
        text=text,
        truncated=memory.is_truncated or len(text) < len(memory.text),
        tags=_labels(memory.tags),
        subjects=_labels(memory.subjects),
        client=budget.cut(memory.client, 200),
        editable=memory.is_editable,
        file=memory.file or "",
        created_at=_said(memory.created_at),
        updated_at=_said(memory.updated_at),
        expires_at=_said(memory.expires_at),
    )


def _recalled(found: recall.Recalled, room: int) -> RecalledRow:
    passage = budget.cut(found.passage, room)
    return shown(
        RecalledRow,
        _row(found.memory, 0),
        title=budget.cut(found.memory.title, 200),
        rank=found.rank,
        score=found.score,
        relevance=found.relevance,
        retention=found.retention,
        passage=passage,
        is_cut=len(passage) < len(found.passage),
    )


def _labels(words: Sequence[str]) -> list[str]:
    """Return the first tags or subjects, as many as fit."""
    return list(budget.fitting(words, budget.written, _LABELS_BYTES))


def _said(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
