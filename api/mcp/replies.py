"""Replies: records of the operations as bounded results of tools. Pure."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

from api.mcp import budget
from api.mcp.results import (
    DocumentReply,
    Lane,
    ModelRow,
    SearchHit,
    SearchReply,
    SourceRow,
    SourcesReply,
    StatsReply,
    TextReply,
)
from api.ops import reading, search, stats
from graphstore.reading import Document
from graphstore.records import Source

T = TypeVar("T")

_HIT_OVERHEAD: Final = 850
_LINKS: Final = 20
_LINKS_BYTES: Final = 2_000


def found(result: search.SearchResult) -> SearchReply:
    """Return a search's answer: every hit as long as fits, then as many hits as fit."""
    room = budget.share(len(result.hits), _HIT_OVERHEAD)
    hits = [_hit(hit, room) for hit in result.hits]
    kept = budget.fitting(hits, size, budget.STRUCTURED_BYTES)
    left_out = len(hits) - len(kept)
    return SearchReply(
        hits=list(kept),
        low_confidence=result.low_confidence,
        degraded=list(result.degraded),
        truncated=result.truncated or left_out > 0,
        left_out=left_out,
    )


def document(record: Document, opening: str) -> DocumentReply:
    """Return what a document is."""
    return shown(
        DocumentReply,
        record,
        title=budget.cut(record.title, 500),
        authors=_some(record.authors),
        replies_to=_some(record.replies_to),
        thread=_some(record.thread),
        attachment_of=_some(record.attachment_of),
        attachments=_some(record.attachments),
        changed_at=record.changed_at.isoformat(),
        opening=opening,
    )


def text(passage: reading.Passage) -> TextReply:
    """Return a piece of a document's text."""
    return shown(
        TextReply,
        passage.document,
        title=budget.cut(passage.document.title, 500),
        start=passage.start,
        end=passage.end,
        truncated=passage.truncated,
        text=passage.text,
    )


def sources(records: Sequence[Source]) -> SourcesReply:
    """Return the sources that fit."""
    rows = [shown(SourceRow, record) for record in records]
    kept = budget.fitting(rows, size, budget.STRUCTURED_BYTES)
    return SourcesReply(list(kept), len(rows) - len(kept))


def counted(record: stats.Stats) -> StatsReply:
    """Return how much there is."""
    return shown(
        StatsReply,
        record,
        embedded_models=[model.slug for model in record.models if not model.pending],
        pending_models=[model.slug for model in record.models if model.pending],
        models=[shown(ModelRow, model, error=model.error or "") for model in record.models],
    )


def _hit(hit: search.Hit, room: int) -> SearchHit:
    passage = budget.cut(hit.snippet, room)
    return shown(
        SearchHit,
        hit,
        document=hit.document_uid,
        chunk=hit.chunk_uid,
        memory_id=hit.memory_id or "",
        origin=hit.origin or "",
        client=budget.cut(hit.client or "", 200),
        confirmed=bool(hit.confirmed),
        title=budget.cut(hit.title, 200),
        section=budget.cut(hit.section, 200),
        text=passage,
        is_cut=len(passage) < len(hit.snippet),
        authors=[budget.cut(author, 100) for author in hit.authors[:5]],
        changed_at=hit.changed_at.isoformat(),
        lanes=[shown(Lane, lane) for lane in hit.lanes],
    )


def _some(words: Sequence[str]) -> list[str]:
    """Return the first of a document's links or names, as many as fit."""
    return list(budget.fitting(words[:_LINKS], budget.written, _LINKS_BYTES))


def shown(shape: type[T], record: object, **more: Any) -> T:
    """Return a result with the fields that a record has under the same names."""
    names = [
        field.name for field in dataclasses.fields(cast("Any", shape)) if field.name not in more
    ]
    return shape(**{name: getattr(record, name) for name in names}, **more)


def size(item: Any) -> int:
    """Return the bytes of a result, as JSON."""
    return len(json.dumps(dataclasses.asdict(item), ensure_ascii=False).encode("utf-8", "replace"))
