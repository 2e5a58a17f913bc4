"""Chunks: the pieces of a document that are embedded and searched.

An edit keeps the node of every chunk whose text is unchanged, and its vectors where the context
is unchanged too.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from graphstore.clock import new_uid
from graphstore.lucene import class_key, source_key, trust_key
from graphstore.records import ChunkDraft
from graphstore.session import Row, Transaction


@dataclass(frozen=True, slots=True)
class Place:
    """The document that chunks belong to."""

    document_uid: str
    source: str
    corpus_class: str
    trust: str


@dataclass(slots=True)
class Change:
    """What turns the stored chunks of one document into those of its draft."""

    document_uid: str
    create: list[Row] = field(default_factory=list[Row])
    update: list[Row] = field(default_factory=list[Row])
    unembed: list[str] = field(default_factory=list[str])
    remove: list[str] = field(default_factory=list[str])
    texts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The chunks of the draft in order: uid and text."""
    kept: int = 0


def compare(
    place: Place, chunks: Sequence[ChunkDraft], stored: Sequence[Row], numbers: Iterator[int]
) -> Change:
    """Compare the chunks of a document with the stored ones, in order, equal texts one to one."""
    change = Change(place.document_uid)
    whole: dict[str, deque[Row]] = defaultdict(deque)
    for row in stored:
        whole[row["content_sha256"]].append(row)
    matched = {
        chunk.ordinal: whole[chunk.content_sha256].popleft()
        for chunk in chunks
        if whole.get(chunk.content_sha256)
    }
    by_text: dict[str, deque[Row]] = defaultdict(deque)
    for row in (row for rows in whole.values() for row in rows):
        by_text[row["text"]].append(row)
    for chunk in chunks:
        row = matched.get(chunk.ordinal)
        if row is None and by_text.get(chunk.text):
            row = by_text[chunk.text].popleft()
            change.unembed.append(row["uid"])
        if row is None:
            uid = new_uid()
            properties = {"uid": uid, "ix": next(numbers), **_properties(place, chunk)}
            change.create.append({"document_uid": place.document_uid, "properties": properties})
        else:
            uid = row["uid"]
            change.kept += 1
            _keep(change, row, _properties(place, chunk))
        change.texts.append((uid, chunk.text))
    change.remove = [row["uid"] for rows in by_text.values() for row in rows]
    return change


def write(tx: Transaction, changes: Sequence[Change], stamp: Row) -> None:
    """Write what is new or moved; what goes is left for `remove`."""
    version = stamp["version"]
    tx.run("chunks/update", rows=[r for change in changes for r in change.update], version=version)
    tx.run("chunks/unembed", uids=[uid for change in changes for uid in change.unembed])
    tx.run("chunks/create", rows=[row for change in changes for row in change.create], **stamp)
    chain = [{"a": a, "b": b} for change in changes for (a, _), (b, _) in pairwise(change.texts)]
    tx.run("chunks/chain", rows=chain)


def remove(tx: Transaction, uids: Sequence[str]) -> None:
    """Remove chunks whose text is gone."""
    tx.run("chunks/remove", uids=list(uids))


def _keep(change: Change, row: Row, properties: Row) -> None:
    """Note what a kept chunk's node must change; nothing, mostly."""
    if any(row.get(key) != properties[key] for key in _WATCHED):
        change.update.append({"uid": row["uid"], "properties": properties})


_WATCHED = (
    "ordinal", "start", "end", "heading", "content_sha256", "class", "trust", "source",
    "identifiers",
)  # fmt: skip


def _properties(place: Place, chunk: ChunkDraft) -> dict[str, Any]:
    return {
        "document_uid": place.document_uid,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "context": chunk.context,
        "context_source": "heuristic",
        "heading": chunk.heading,
        "identifiers": chunk.identifiers,
        "tokens": chunk.tokens,
        "content_sha256": chunk.content_sha256,
        "class": place.corpus_class,
        "trust": place.trust,
        "source": place.source,
        "category": "",
        "source_key": source_key(place.source),
        "class_key": f"{class_key(place.corpus_class)} {trust_key(place.trust)}",
    }
