"""Sources: the places that documents come from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graphstore import documents, journal
from graphstore.documents import Stored
from graphstore.errors import Conflict, NotFound
from graphstore.journal import Activity
from graphstore.records import Source, SourceKind
from graphstore.session import Graph, Row, Transaction

_REMOVE_CHUNKS: Final = 500
_REMOVE_OUTCOMES: Final = 2_000


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """A source as it is declared."""

    slug: str
    kind: SourceKind
    root: str
    default_class: str = "document"
    default_trust: str = "authored"
    ignore: tuple[str, ...] = ()
    declared: bool = True


@dataclass(frozen=True, slots=True)
class Removed:
    """What the removal of a source took away, counted as it went."""

    documents: int
    chunks: int


def put(graph: Graph, draft: SourceDraft, activity: Activity, now: datetime) -> bool:
    """Add a source, or change the one of this slug; return whether it is new.

    The files of a source that changed its kind, class or trust are read again by the next run.

    Raises:
        Conflict: the source is being removed.
    """
    properties = {
        "kind": draft.kind,
        "root": draft.root,
        "default_class": draft.default_class,
        "default_trust": draft.default_trust,
        "ignore": list(draft.ignore),
        "declared": draft.declared,
    }

    def work(tx: Transaction) -> bool:
        row = tx.run("sources/put", slug=draft.slug, properties=properties, now=now)[0]
        if row["removing"]:
            message = f"The removal of the source '{draft.slug}' is not finished."
            raise Conflict(message, hint=f"'garage remove-source {draft.slug}' finishes it.")
        if row["is_read_anew"]:
            tx.run("outcomes/forget_stats", source=draft.slug)
        counts = {"added": int(row["created"]), "changed": int(not row["created"])}
        journal.record(tx, replace(activity, counts=counts))
        return bool(row["created"])

    return graph.write(work)


def listed(graph: Graph) -> tuple[Source, ...]:
    """Return every source with its counts, by slug."""
    return tuple(_source(row) for row in graph.read("sources/list", slug=None))


def get(graph: Graph, slug: str) -> Source:
    """Return one source with its counts.

    Raises:
        NotFound: there is none of this slug.
    """
    rows = graph.read("sources/list", slug=slug)
    if not rows:
        raise NotFound(f"There is no source '{slug}'.", hint="'garage sources' lists them.")
    return _source(rows[0])


def remove(graph: Graph, slug: str, activity: Activity) -> Removed:
    """Remove a source with its documents, in resumable steps; the source itself goes last."""
    get(graph, slug)
    graph.write(lambda tx: tx.run("sources/mark_removing", slug=slug))
    total = Stored()
    while batch := _next_documents(graph, slug):
        total += graph.write(partial(_remove_documents, uids=batch, now=activity.at))
    while graph.write(partial(_remove_outcomes, slug=slug)):
        pass
    removed = Removed(documents=total.removed_documents, chunks=total.removed_chunks)
    counted = replace(activity, counts=asdict(removed))

    def finish(tx: Transaction) -> None:
        tx.run("runs/remove", source=slug)
        tx.run("sources/remove", slug=slug)
        journal.record(tx, counted)

    graph.write(finish)
    return removed


def _next_documents(graph: Graph, slug: str) -> list[str]:
    rows = graph.read("sources/some_documents", slug=slug, limit=_REMOVE_CHUNKS)
    batch: list[str] = []
    chunks = 0
    for row in rows:
        if batch and chunks + row["chunks"] > _REMOVE_CHUNKS:
            break
        batch.append(row["uid"])
        chunks += row["chunks"]
    return batch


def _remove_documents(tx: Transaction, uids: Sequence[str], now: datetime) -> Stored:
    version = tx.run("graph/advance", count=0)[0]["version"]
    return documents.remove(tx, uids, {"now": now, "version": version})


def _remove_outcomes(tx: Transaction, slug: str) -> int:
    rows = tx.run("outcomes/remove_some", source=slug, limit=_REMOVE_OUTCOMES)
    return int(rows[0]["removed"])


def _source(row: Row) -> Source:
    return Source(
        slug=row["slug"],
        kind=row["kind"],
        root=row["root"],
        default_class=row["default_class"],
        default_trust=row["default_trust"],
        created_at=row["created_at"],
        documents=row["documents"],
        chunks=row["chunks"],
        declared=row["declared"],
        ignore=tuple(row["ignore"]),
    )
