"""Memories, written: beside their document, in its transaction, under the lock of their store.

Two who say the same to one store at once get one memory. A change names the revision that it is of;
what the memory said before is kept as a revision in the same transaction.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graphstore import documents
from graphstore.documents import Unit, Writing
from graphstore.errors import Conflict, InvalidInput, NotFound, Refused
from graphstore.memories import (
    FIRST_REVISION,
    Kind,
    Origin,
    Tier,
    no_such,
    no_such_source,
    overtaken,
)
from graphstore.privacy import most_restrictive
from graphstore.records import STORE, ChunkDraft, Draft
from graphstore.session import Graph, Row, Transaction


@dataclass(frozen=True, slots=True)
class Values:
    """What a memory is beside its text."""

    kind: Kind
    origin: Origin
    client: str
    tags: tuple[str, ...]
    subjects: tuple[str, ...]
    importance: float
    confidence: float
    confirmed: bool
    tier: Tier
    is_titled: bool
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory before it is stored. The class of its draft is the least that it may have."""

    draft: Draft
    """Its `uid` is that of the memory."""
    pieces: tuple[ChunkDraft, ...]
    values: Values
    evidence: tuple[str, ...] = ()
    """Documents by uid or address, or chunks by uid."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """How the text that a change replaces is kept."""

    revision: int
    """The revision that the change is of."""
    uid: str
    """Of the node that will hold what the memory says now."""
    keep: int
    """Revisions that are kept."""


def store_key(source: str, content_sha256: str) -> str:
    """Return the key under which a store holds a text once."""
    return f"{source}:{content_sha256}"


def remember(graph: Graph, item: MemoryDraft, writing: Writing) -> tuple[str, bool]:
    """Store a memory unless the store has a live one of this text; return its uid and if it is new.

    Raises:
        NotFound: there is no such source, or a reference of evidence names nothing.
        Refused: the source is a folder of memory files.
        InvalidInput: the source is of another kind.
        Conflict: the source is being removed.
    """
    return graph.write(partial(_remember, item=item, writing=writing))


def change(graph: Graph, item: MemoryDraft, earlier: Earlier, writing: Writing) -> int:
    """Write what a memory says and is from now on; return its revision.

    Raises:
        NotFound: it is gone.
        Conflict: it has another revision, or its store holds the new text as another memory.
    """
    return graph.write(partial(_change, item=item, earlier=earlier, writing=writing))


def require_store(tx: Transaction, slug: str) -> None:
    """Make sure that a source is a store that may be written to, and lock it until commit."""
    rows = tx.run("sources/lock", slug=slug)
    if not rows:
        raise no_such_source(slug)
    row = rows[0]
    if row["kind"] != "memory":
        message = f"'{slug}' is a source of kind {row['kind']}, not a store of memories."
        raise InvalidInput(message, hint=f"Add a store: garage add-source NAME {STORE}")
    if row["root"] != STORE:
        message = f"'{slug}' is a folder of memory files: {row['root']}."
        raise Refused(message, hint="Edit its files, or name a store.")
    if row["removing"]:
        message = f"The store '{slug}' is being removed."
        raise Conflict(message, hint="Nothing was stored. Name another store.")


def _remember(tx: Transaction, item: MemoryDraft, writing: Writing) -> tuple[str, bool]:
    require_store(tx, writing.source)
    key = store_key(writing.source, item.draft.content_sha256)
    if found := _live(tx, key, writing.now):
        # The same uid: the reply to an earlier commit of this very unit was lost.
        return found, found == item.draft.uid
    proof = _evidence(tx, item.evidence)
    draft = _classed(item.draft, [row["class"] for row in proof])
    documents.replace_in(tx, [Unit(((draft, item.pieces),))], writing)
    properties = _properties(item.values) | {
        "store_key": key,
        "status": "active",
        "revision": FIRST_REVISION,
        "recall_count": 0,
        "recall_days": 0,
        "changed_by": writing.activity.uid,
    }
    tx.run("memories/put", uid=draft.uid, properties=properties)
    _link(tx, draft.uid, proof)
    return draft.uid, True


def _change(tx: Transaction, item: MemoryDraft, earlier: Earlier, writing: Writing) -> int:
    require_store(tx, writing.source)
    uid = item.draft.uid
    row = _locked(tx, uid)
    if row["changed_by"] == writing.activity.uid:
        return int(row["revision"])  # the reply to an earlier commit of this very unit was lost
    if row["revision"] != earlier.revision:
        raise overtaken(row["revision"], earlier.revision)
    key = store_key(writing.source, item.draft.content_sha256)
    if (other := _live(tx, key, writing.now)) and other != uid:
        message = f"The store '{writing.source}' holds this text already, as memory '{other}'."
        raise Conflict(message, hint="Change that one, or forget this one.")
    stamp = {"at": writing.now, "actor": writing.activity.actor}
    tx.run("revisions/put", uid=earlier.uid, memory=uid, **stamp)
    tx.run("revisions/trim", of=uid, keep=earlier.keep)
    proof = _evidence(tx, item.evidence)
    standing = tx.run("memories/evidence_classes", uid=uid)
    draft = _classed(item.draft, [each["class"] for each in (*proof, *standing)])
    documents.replace_in(tx, [Unit(((draft, item.pieces),))], writing)
    properties = _properties(item.values) | {
        "store_key": key,
        "status": "active",
        "revision": earlier.revision + 1,
        "changed_by": writing.activity.uid,
    }
    tx.run("memories/put", uid=uid, properties=properties)
    _link(tx, uid, proof)
    return earlier.revision + 1


def _locked(tx: Transaction, uid: str) -> Row:
    rows = tx.run("memories/lock", uid=uid)
    if not rows:
        raise no_such(uid)
    return rows[0]


def _live(tx: Transaction, key: str, now: datetime) -> str | None:
    """Return the live memory of this key; one that expired gives the key up."""
    rows = tx.run("memories/by_key", key=key)
    if rows and rows[0]["expires_at"] and rows[0]["expires_at"] <= now:
        tx.run("memories/archive", uids=[rows[0]["uid"]], now=now)
        return None
    return rows[0]["uid"] if rows else None


def _evidence(tx: Transaction, references: Sequence[str]) -> list[Row]:
    if not references:
        return []
    rows = tx.run("memories/evidence", references=list(dict.fromkeys(references)))
    missing = [each for each in references if each not in {row["reference"] for row in rows}]
    if missing:
        message = f"There is no document or chunk '{missing[0]}' to rest on."
        raise NotFound(message, hint="Name documents by uid or address, chunks by uid.")
    return rows


def _link(tx: Transaction, uid: str, proof: Sequence[Row]) -> None:
    of_kind: dict[str, list[str]] = {"document": [], "chunk": []}
    for row in proof:
        of_kind[row["kind"]].append(row["uid"])
    if proof:
        found = {"documents": of_kind["document"], "chunks": of_kind["chunk"]}
        tx.run("memories/link_evidence", uid=uid, **found)


def _classed(draft: Draft, classes: Sequence[str]) -> Draft:
    return replace(draft, corpus_class=most_restrictive([draft.corpus_class, *classes]))


_LISTS: Final = ("tags", "subjects")


def _properties(values: Values) -> Row:
    row = asdict(values)
    return {key: list(value) if key in _LISTS else value for key, value in row.items()}
