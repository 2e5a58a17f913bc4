"""Documents: written whole, in one version, or not at all.

`replace` stores what was read from files. A chunk whose context and text are unchanged keeps its
node and its vectors; one whose context alone changed keeps its node. Everything that belongs to
the documents of a unit (chunks, authors, mail edges, the file's outcome, the log entry) is
written in the same transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import replace as changed
from datetime import datetime
from itertools import count
from typing import Final

from graphstore import authors, chunks, facts, jobs, journal, outcomes
from graphstore.authors import Authorship
from graphstore.chunks import Change, Place
from graphstore.clock import new_uid
from graphstore.errors import Conflict
from graphstore.journal import Activity
from graphstore.lucene import class_key
from graphstore.privacy import CLASSES
from graphstore.records import ChunkDraft, Draft, Outcome
from graphstore.session import Graph, Row, Transaction

_TIMEOUT_S: Final = 300.0
"""A document of 20,000 chunks takes longer than an ordinary write may."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is stored together: a file, or a message with its attachments."""

    drafts: tuple[tuple[Draft, tuple[ChunkDraft, ...]], ...]
    outcome: Outcome | None = None
    """What became of the file; None while more units of the same file follow."""
    uris: frozenset[str] | None = None
    """All addresses that the file holds, when this unit is its last: others are removed."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Who writes, into which source, when."""

    source: str
    run_uid: str
    activity: Activity
    now: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """What a transaction wrote, from the state it left."""

    documents: int = 0
    chunks: int = 0
    kept_chunks: int = 0
    removed_documents: int = 0
    removed_chunks: int = 0

    def __add__(self, other: "Stored") -> "Stored":
        mine, theirs = self.counts(), other.counts()
        return Stored(**{name: mine[name] + theirs[name] for name in mine})

    def counts(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def replace(graph: Graph, units: Sequence[Unit], writing: Writing) -> Stored:
    """Store `units` in one transaction, each whole.

    Raises:
        Conflict: the source is gone or being removed; nothing was stored.
        TooLarge: the units do not fit one transaction.
    """
    return graph.write(lambda tx: replace_in(tx, units, writing), timeout_s=_TIMEOUT_S)


def note(graph: Graph, outcomes_of: Sequence[Outcome], writing: Writing) -> None:
    """Record what became of files that store nothing.

    Raises:
        Conflict: the source is gone or being removed; nothing was recorded.
    """
    rows = [outcomes.outcome_row(writing.source, outcome) for outcome in outcomes_of]

    def work(tx: Transaction) -> None:
        lock_source(tx, writing.source)
        outcomes.write(tx, rows, writing.run_uid, writing.now)

    graph.write(work)


def remove_files(graph: Graph, gone: Sequence[Outcome], writing: Writing) -> Stored:
    """Remove the documents of files that are gone, with everything derived from them."""

    def work(tx: Transaction) -> Stored:
        lock_source(tx, writing.source)
        version = tx.run("graph/advance", count=0)[0]["version"]
        paths = [outcome.path for outcome in gone]
        rows = tx.run("documents/at_paths", source=writing.source, paths=paths)
        removed = remove(tx, [row["uid"] for row in rows], {"now": writing.now, "version": version})
        keys = [f"{writing.source}:{path}" for path in paths]
        tx.run("outcomes/remove", keys=keys)
        journal.record(tx, _counted(writing.activity, removed, keys))
        return removed

    return graph.write(work)


def remove(tx: Transaction, uids: Sequence[str], stamp: Row) -> Stored:
    """Remove documents by uid, with the persons whom nothing else mentions."""
    if not uids:
        return Stored()
    tx.run("revisions/remove", of=list(uids))
    tx.run("jobs/remove", targets=list(uids))
    tx.run("facts/remove", documents=list(uids))
    row = tx.run("documents/remove", uids=list(uids))[0]
    authors.settle(tx, _flat(row["entities"]))
    # A copy of a message that is gone, in another source, takes its place.
    tx.run("documents/link_replies", ids=sorted(row["messages"]), **stamp)
    tx.run("documents/link_threads", keys=sorted(row["threads"]), **stamp)
    return Stored(removed_documents=row["documents"], removed_chunks=row["chunks"])


def lock_source(tx: Transaction, slug: str) -> None:
    """Make sure that a source is there, is not being removed, and stays until commit."""
    rows = tx.run("sources/lock", slug=slug)
    if not rows or rows[0]["removing"]:
        message = f"The source '{slug}' was removed meanwhile."
        raise Conflict(message, hint="Nothing was stored. 'garage sources' lists what is there.")


def replace_in(tx: Transaction, units: Sequence[Unit], writing: Writing) -> Stored:
    """Store `units` within a transaction that writes more than they are.

    Raises:
        Conflict: the source is gone or being removed.
    """
    lock_source(tx, writing.source)
    # By address: two files of an inbox with the same bytes are one document.
    pairs = list({pair[0].uri: pair for unit in units for pair in unit.drafts}.values())
    drafts = [draft for draft, _ in pairs]
    counter = tx.run("graph/advance", count=_numbers(pairs))[0]
    numbers = count(counter["ix"])
    stamp: Row = {"now": writing.now, "version": counter["version"]}
    uris = [draft.uri for draft in drafts]
    tx.run("documents/step_aside", uris=uris, source=writing.source)
    before = {row["uri"]: row for row in tx.run("documents/state", uris=uris)}
    earlier = tx.run("documents/unlink", uids=[row["uid"] for row in before.values()])
    rows = [_document_row(draft, pieces, writing.source, next(numbers)) for draft, pieces in pairs]
    uids = {row["uri"]: row["uid"] for row in tx.run("documents/put", rows=rows, **stamp)}
    places = [Place(uids[d.uri], writing.source, d.corpus_class, d.trust) for d in drafts]
    changes = [
        chunks.compare(place, pieces, before.get(draft.uri, _NOTHING)["chunks"], numbers)
        for place, (draft, pieces) in zip(places, pairs, strict=True)
    ]
    _write_chunks(tx, changes, stamp)
    facts.follow_documents(tx, [row["uid"] for row in before.values()], stamp)
    _settle_memories(tx, drafts, uids, {uri: row["class"] for uri, row in before.items()})
    by = authors.write(tx, [_authorship(d, uids[d.uri]) for d in drafts], numbers=numbers, **stamp)
    authors.settle(tx, by.union(_flat(row["entities"] for row in earlier)))
    _link_mail(tx, drafts, list(before.values()), stamp)
    _queue(tx, drafts, uids, writing.now)
    stored = Stored(
        documents=len(rows),
        chunks=sum(len(pieces) for _, pieces in pairs),
        kept_chunks=sum(change.kept for change in changes),
    ) + remove(tx, _others(tx, units, writing.source), stamp)
    _write_outcomes(tx, units, writing)
    targets = [f"document:{uid}" for uid in uids.values()]
    journal.record(tx, _counted(writing.activity, stored, targets), list(uids.values()))
    return stored


_NOTHING: Row = {"chunks": []}


def _write_chunks(tx: Transaction, changes: Sequence[Change], stamp: Row) -> None:
    """Write chunks. Facts in those that go move to where their words are now, or end."""
    chunks.write(tx, changes, stamp)
    going = [uid for change in changes for uid in change.remove]
    texts = {change.document_uid: change.texts for change in changes if change.remove}
    facts.follow_text(tx, going, texts, stamp)
    chunks.remove(tx, going)


def _numbers(pairs: Sequence[tuple[Draft, tuple[ChunkDraft, ...]]]) -> int:
    """Return how many `ix` numbers the transaction may need; gaps are allowed."""
    return sum(1 + len(pieces) + len(draft.authors) for draft, pieces in pairs)


def _document_row(draft: Draft, pieces: Sequence[ChunkDraft], source: str, ix: int) -> Row:
    return {
        "uri": draft.uri,
        "uid": draft.uid or new_uid(),
        "ix": ix,
        "source": source,
        "properties": {
            "source": source,
            "kept_from": None,
            "path": draft.path,
            "title": draft.title,
            "mime": draft.mime,
            "form": draft.form,
            "language": draft.language,
            "class": draft.corpus_class,
            "trust": draft.trust,
            "content_sha256": draft.content_sha256,
            "bytes": draft.bytes,
            "characters": len(draft.text),
            "tokens": sum(piece.tokens for piece in pieces),
            "chunks": len(pieces),
            "mtime": draft.mtime,
            "message_id": draft.mail.message_id if draft.mail else None,
            "in_reply_to": draft.mail.in_reply_to if draft.mail else None,
            "thread_key": draft.mail.thread_key if draft.mail else None,
        },
    }


def _settle_memories(
    tx: Transaction, drafts: Sequence[Draft], uids: Mapping[str, str], classes: Mapping[str, str]
) -> None:
    """Make memory files memories, and those that rest on a text as restricted as it is now."""
    files = [
        {"uid": uids[draft.uri], "tags": list(draft.labels)}
        for draft in drafts
        if draft.is_memory_file
    ]
    if files:
        tx.run("memories/put_files", rows=files)
    rows: Sequence[Row] = [
        {"uid": uids[draft.uri], "class": draft.corpus_class}
        for draft in drafts
        if classes.get(draft.uri, draft.corpus_class) != draft.corpus_class
    ]
    keys = {each: class_key(each) for each in CLASSES}
    while rows:  # what rests on these follows in turn
        rows = tx.run("memories/tighten", rows=rows, classes=list(CLASSES), keys=keys)


def _authorship(draft: Draft, uid: str) -> Authorship:
    return Authorship(
        document_uid=uid,
        authors=draft.authors,
        corpus_class=draft.corpus_class,
        trust=draft.trust,
        written_at=draft.mtime,
    )


def _flat(lists: Iterable[Sequence[str]]) -> set[str]:
    return {uid for uids in lists for uid in uids}


def _link_mail(tx: Transaction, drafts: Sequence[Draft], before: Sequence[Row], stamp: Row) -> None:
    mails = [draft.mail for draft in drafts if draft.mail]
    # A message that changed its id or thread leaves others behind under the earlier one.
    ids = {mail.message_id for mail in mails} | {row["message_id"] for row in before}
    keys = {mail.thread_key for mail in mails} | {row["thread_key"] for row in before}
    tx.run("documents/link_replies", ids=sorted(ids - {None}), **stamp)
    tx.run("documents/link_threads", keys=sorted(keys - {None}), **stamp)
    attached = [
        {"uri": draft.uri, "message_uri": draft.attachment_of}
        for draft in drafts
        if draft.attachment_of
    ]
    tx.run("documents/link_attachments", rows=attached, **stamp)


def _queue(
    tx: Transaction, drafts: Sequence[Draft], uids: Mapping[str, str], now: datetime
) -> None:
    asked = [(draft, each) for draft in drafts for each in draft.jobs]
    wanted = [jobs.wanted(each, uids[d.uri], d.content_sha256) for d, each in asked]
    jobs.enqueue(tx, wanted, now)


def _others(tx: Transaction, units: Sequence[Unit], source: str) -> list[str]:
    """Return the documents of finished files that the files hold no longer."""
    finished = {
        unit.outcome.path: unit.uris for unit in units if unit.outcome and unit.uris is not None
    }
    rows = tx.run("documents/at_paths", source=source, paths=sorted(finished))
    return [row["uid"] for row in rows if row["uri"] not in (finished[row["path"]] or ())]


def _write_outcomes(tx: Transaction, units: Sequence[Unit], writing: Writing) -> None:
    rows = [outcomes.outcome_row(writing.source, u.outcome) for u in units if u.outcome]
    outcomes.write(tx, rows, writing.run_uid, writing.now)


def _counted(activity: Activity, stored: Stored, targets: Sequence[str]) -> Activity:
    return changed(activity, counts=stored.counts(), targets=tuple(targets))
