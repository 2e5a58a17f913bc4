"""Removals: a source goes, in small steps; its documents go with it, or stay in the source `kept`.

A step is one transaction, and the count of what was done so far is part of it. A removal that is
broken off anywhere is taken up by the next one of the same source, and ends in the same state.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graphstore import documents, facts, journal
from graphstore.errors import Conflict, NotFound
from graphstore.journal import Activity
from graphstore.lucene import source_key
from graphstore.records import KEPT
from graphstore.session import Graph, Row, Transaction

_CHUNKS: Final = 500
_OUTCOMES: Final = 2_000
_TIMEOUT_S: Final = 300.0
"""A document of 20,000 chunks is one step."""
_COUNTS: Final = ("removed_documents", "removed_chunks", "kept_documents", "kept_chunks")


@dataclass(frozen=True, slots=True)
class Removal:
    """How far the removal of a source is, read from the graph; earlier attempts are counted in."""

    slug: str
    documents: int
    """Documents that are gone."""
    chunks: int
    kept_documents: int
    kept_chunks: int
    remaining: int
    """Documents that still wait for it."""
    declared: bool
    """Whether garage.json declares the source: then the next start of the service adds it again."""
    is_finished: bool = False
    """Whether the source itself is gone."""


def begin(graph: Graph, slug: str, *, keeps: bool, now: datetime) -> None:
    """Mark a source as being removed: from here on nothing is stored in it.

    Raises:
        NotFound: there is none of this slug.
        Conflict: a removal that keeps the documents was begun, and this one would not.
    """

    def work(tx: Transaction) -> None:
        rows = tx.run("sources/mark_removing", slug=slug, keeps=keeps)
        if not rows:
            raise _no_such(slug)
        if rows[0]["is_refused"]:
            message = f"The removal of '{slug}' was begun with its documents kept."
            hint = f"Finish it: garage remove-source {slug} --keep-documents"
            raise Conflict(message, hint=hint)
        if keeps:
            _put_kept(tx, now)

    graph.write(work)


def step(graph: Graph, slug: str, now: datetime) -> bool:
    """Remove or keep the next few documents; return whether there may be more.

    Raises:
        Conflict: the source `kept` is itself being removed.
    """
    return graph.write(partial(_step, slug=slug, now=now), timeout_s=_TIMEOUT_S)


def finish(graph: Graph, slug: str, activity: Activity) -> Removal:
    """Remove the source itself, whose documents are gone, and return what its removal did.

    Raises:
        NotFound: somebody else finished it.
    """
    before = standing(graph, slug)
    while graph.write(partial(_remove_outcomes, slug=slug)):
        pass

    def work(tx: Transaction) -> Removal:
        rows = tx.run("sources/removal", slug=slug)
        if not rows:  # the reply to an earlier commit of this very unit was lost
            return replace(before, is_finished=True)
        tx.run("runs/remove", source=slug)
        tx.run("sources/remove", slug=slug)
        done = {name: n for name, n in _counts(rows[0]).items() if n or not name.startswith("kept")}
        journal.record(tx, replace(activity, counts=done))
        return replace(_read(slug, rows), is_finished=True)

    return graph.write(work)


def standing(graph: Graph, slug: str) -> Removal:
    """Return how far the removal of a source is.

    Raises:
        NotFound: none is under way.
    """
    return _read(slug, graph.read("sources/removal", slug=slug))


def _step(tx: Transaction, slug: str, now: datetime) -> bool:
    # The lock on the counter comes first: what is read after it, no other writer changes.
    version = tx.run("graph/advance", count=0)[0]["version"]
    rows = tx.run("sources/removal", slug=slug)
    uids = _next(tx.run("sources/some_documents", slug=slug, limit=_CHUNKS))
    if not rows or not uids:
        return False
    done = dict.fromkeys(_COUNTS, 0)
    if rows[0]["keeping"]:
        _put_kept(tx, now)
        place = {"slug": KEPT, "source_key": source_key(KEPT), "root": rows[0]["root"]}
        kept = tx.run("documents/keep", uids=uids, version=version, **place)[0]
        facts.follow_documents(tx, uids, {"version": version})
        done |= {"kept_documents": kept["documents"], "kept_chunks": kept["chunks"]}
    else:
        gone = documents.remove(tx, uids, {"now": now, "version": version})
        done |= {
            "removed_documents": gone.removed_documents,
            "removed_chunks": gone.removed_chunks,
        }
    tx.run("sources/count_removal", slug=slug, **done)
    return True


def _next(rows: Sequence[Row]) -> list[str]:
    """Return the first documents with few chunks together; always the first one."""
    batch: list[str] = []
    chunks = 0
    for row in rows:
        chunks += row["chunks"]
        if batch and chunks > _CHUNKS:
            break
        batch.append(row["uid"])
    return batch


def _put_kept(tx: Transaction, now: datetime) -> None:
    row = tx.run("sources/put_kept", slug=KEPT, now=now)[0]
    if row["removing"]:
        message = f"The removal of the source '{KEPT}' is not finished."
        raise Conflict(message, hint=f"'garage remove-source {KEPT}' finishes it.")


def _remove_outcomes(tx: Transaction, slug: str) -> int:
    rows = tx.run("outcomes/remove_some", source=slug, limit=_OUTCOMES)
    return int(rows[0]["removed"])


def _read(slug: str, rows: Sequence[Row]) -> Removal:
    if not rows:
        raise _no_such(slug)
    row = rows[0]
    declared = row["standing"] == "declared"
    counts = _counts(row)
    return Removal(
        slug=slug,
        documents=counts["documents"],
        chunks=counts["chunks"],
        kept_documents=counts["kept_documents"],
        kept_chunks=counts["kept_chunks"],
        remaining=row["remaining"],
        declared=declared,
    )


def _counts(row: Row) -> dict[str, int]:
    return {name.removeprefix("removed_"): row[name] for name in _COUNTS}


def _no_such(slug: str) -> NotFound:
    return NotFound(f"There is no source '{slug}'.", hint="'garage sources' lists them.")
