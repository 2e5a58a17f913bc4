"""Facts: what documents state, each where it stands in the text, and in time twice.

A fact that its document states no longer has ended: it is kept, with the words that it had. Only
what removes a document removes its facts. Open ends of time are `OPEN_FROM` and `OPEN_TO` in the
graph, so that every comparison is plain, and None here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final

from graphstore.errors import Conflict
from graphstore.session import Graph, Row, Transaction

OPEN_FROM: Final = datetime(1, 1, 1, tzinfo=UTC)
OPEN_TO: Final = datetime(9999, 12, 31, tzinfo=UTC)
MOST: Final = 1_000
"""Facts of one document that are listed at the most."""

_REPLACED: Final = "Its document says it no longer."
_UNREAD: Final = "It was read out of its document no more."


@dataclass(frozen=True, slots=True)
class Said:
    """What a fact says, and when it holds."""

    text: str
    quote: str
    """The document's own words."""
    kind: str
    salience: int
    reasons: tuple[str, ...]
    """Why it is as salient as it is."""
    confidence: float
    subject: str
    predicate: str
    object: str
    standing: str
    is_past: bool
    valid_from: datetime | None
    valid_to: datetime | None
    granularity: str
    expression: str


@dataclass(frozen=True, slots=True)
class Stated(Said):
    """A fact that a document states now."""

    uid: str
    """Of its node, if it is new to the document."""
    chunk_uid: str
    start: int
    """Code points from the start of the chunk."""
    end: int
    fact_sha256: str
    """Equal for what says the same in the same words; a document states it once."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one document."""

    document_uid: str
    content_sha256: str
    """Of the text that was read."""
    extractor: str
    facts: tuple[Stated, ...]
    skipped: str = ""
    """Why none were read."""


@dataclass(frozen=True, slots=True)
class Fact(Said):
    """A fact as it is stored."""

    uid: str
    extractor: str
    status: str
    corpus_class: str
    trust: str
    created_at: datetime
    """When it was learned."""
    invalidated_at: datetime | None
    """When it ended; None while it is stated."""
    reason: str
    """Why it ended."""
    chunk_uid: str | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Unread:
    """A document whose facts were not read."""

    uid: str
    content_sha256: str
    mtime: datetime
    trust: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the facts of a document are read."""

    is_read: bool
    """Of the text that it has now."""
    by: str
    skipped: str
    is_waiting: bool
    """Whether a job for it is in the queue."""


@dataclass(frozen=True, slots=True)
class Which:
    """Which facts of a document are meant."""

    as_of: datetime | None = None
    """Only what was true then; None = whenever it is true."""
    known_at: datetime | None = None
    """Only what was known then; None = now."""
    ended: bool = False
    """With what has ended."""


def write(tx: Transaction, reading: Reading, stamp: Row) -> Mapping[str, int]:
    """Have a document state what was read out of it, and nothing else; return counts by name.

    What it states already keeps its node. A second run of the same reading changes nothing.

    Raises:
        Conflict: its text was cut into other chunks meanwhile.
    """
    known = {
        row["fact_sha256"]: row["uid"]
        for row in tx.run("facts/stated", document=reading.document_uid, open=OPEN_TO)
    }
    rows = {each.fact_sha256: _row(each, reading.extractor) for each in reading.facts}
    new = [row for sha, row in rows.items() if sha not in known]
    kept = [row | {"uid": known[sha]} for sha, row in rows.items() if sha in known]
    gone = sorted(uid for sha, uid in known.items() if sha not in rows)
    document = reading.document_uid
    written = [
        *tx.run("facts/create", document=document, rows=new, open=OPEN_TO, **stamp),
        *tx.run("facts/update", rows=kept, version=stamp["version"]),
    ]
    if sum(row["written"] for row in written) < len(rows):
        message = "The text was cut anew while its facts were read."
        raise Conflict(message, hint="They are read again by themselves.")
    tx.run("facts/end", uids=gone, reason=_UNREAD, open=OPEN_TO, **stamp)
    tx.run(
        "facts/mark",
        document=document,
        content_sha256=reading.content_sha256,
        extractor=reading.extractor,
        skipped=reading.skipped,
    )
    return {"facts": len(new), "kept facts": len(kept), "ended facts": len(gone)}


def follow_text(
    tx: Transaction,
    going: Sequence[str],
    texts: Mapping[str, Sequence[tuple[str, str]]],
    stamp: Row,
) -> None:
    """Move facts out of chunks that go, to where their words stand now; end those without words.

    `texts` are the chunks that each document has from now on, as (uid, text), by its uid.
    """
    moved: list[Row] = []
    ended: list[str] = []
    for row in tx.run("facts/in_chunks", uids=list(going)) if going else ():
        place = _place(row["quote"], texts.get(row["document"], ()))
        if place is None:
            ended.append(row["uid"])
        else:
            moved.append({"uid": row["uid"], **place})
    if moved:
        tx.run("facts/move", rows=moved, version=stamp["version"])
    if ended:
        tx.run("facts/end", uids=ended, reason=_REPLACED, open=OPEN_TO, **stamp)


def follow_documents(tx: Transaction, uids: Sequence[str], stamp: Row) -> None:
    """Give the facts of documents the class, trust and source that those have now."""
    if uids:
        tx.run("facts/follow", documents=list(uids), version=stamp["version"])


def of_document(graph: Graph, uid: str, which: Which) -> tuple[Fact, ...]:
    """Return what a document states, in the order of its text, `MOST` at the most."""
    rows = graph.read(
        "facts/list",
        document=uid,
        as_of=which.as_of,
        known_at=which.known_at,
        ended=which.ended,
        open=OPEN_TO,
        limit=MOST,
    )
    return tuple(_fact(row) for row in rows)


def unread(graph: Graph, extractor: str, after: str, limit: int) -> tuple[Unread, ...]:
    """Return documents whose facts this extractor has not read and no job will, by uid."""
    rows = graph.read("facts/unread", extractor=extractor, after=after, limit=limit)
    return tuple(Unread(**row) for row in rows)


def standing(graph: Graph, uid: str) -> Standing:
    """Return how far the facts of a document are read."""
    rows = graph.read("facts/standing", document=uid)
    return Standing(**rows[0]) if rows else Standing(False, "", "", False)


def _row(stated: Stated, extractor: str) -> Row:
    properties = asdict(stated)
    place = {
        "uid": properties.pop("uid"),
        "chunk": properties.pop("chunk_uid"),
        "start": properties.pop("start"),
        "end": properties.pop("end"),
    }
    properties |= {
        "reasons": list(stated.reasons),
        "valid_from": stated.valid_from or OPEN_FROM,
        "valid_to": stated.valid_to or OPEN_TO,
        "extractor": extractor,
    }
    return {**place, "properties": properties}


def _place(quote: str, texts: Sequence[tuple[str, str]]) -> Row | None:
    for uid, text in texts:
        start = text.find(quote)
        if start >= 0:
            return {"chunk": uid, "start": start, "end": start + len(quote)}
    return None


def _fact(row: Row) -> Fact:
    fact: Row = dict(row["fact"])
    fact["corpus_class"] = fact.pop("class")
    fact["reasons"] = tuple(fact["reasons"])
    fact["reason"] = fact["reason"] or ""
    fact["valid_from"] = _end(fact["valid_from"])
    fact["valid_to"] = _end(fact["valid_to"])
    fact["invalidated_at"] = _end(fact["invalidated_at"])
    return Fact(**fact, chunk_uid=row["chunk"], start=row["start"], end=row["end"])


def _end(moment: datetime) -> datetime | None:
    return None if moment in {OPEN_FROM, OPEN_TO} else moment
