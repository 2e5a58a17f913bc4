"""Sources: the places that documents come from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphstore import journal
from graphstore.errors import Conflict, NotFound
from graphstore.journal import Activity
from graphstore.records import Source, SourceKind, Standing
from graphstore.session import Graph, Row, Transaction


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """A source as it is declared."""

    slug: str
    kind: SourceKind
    root: str
    default_class: str = "document"
    default_trust: str = "authored"
    ignore: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    standing: Standing = "added"


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
        "patterns": list(draft.patterns),
        "tags": list(draft.tags),
    }

    def work(tx: Transaction) -> bool:
        row = tx.run(
            "sources/put", slug=draft.slug, properties=properties, standing=draft.standing, now=now
        )[0]
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


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a source says of what is written to it."""

    slug: str
    corpus_class: str
    trust: str


def defaults(graph: Graph, slug: str) -> Defaults | None:
    """Return what a source says of what is written to it; None when there is none."""
    rows = graph.read("sources/defaults", slug=slug)
    return Defaults(slug, rows[0]["class"], rows[0]["trust"]) if rows else None


def undeclare(graph: Graph, declared: Sequence[str], activity: Activity) -> tuple[str, ...]:
    """Mark the sources that were declared and are not among `declared`; return their slugs."""

    def work(tx: Transaction) -> tuple[str, ...]:
        slugs = tuple(row["slug"] for row in tx.run("sources/undeclare", slugs=list(declared)))
        if slugs:
            targets = tuple(f"source:{slug}" for slug in slugs)
            journal.record(tx, replace(activity, targets=targets, counts={"changed": len(slugs)}))
        return slugs

    return graph.write(work)


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
        standing=row["standing"],
        ignore=tuple(row["ignore"]),
        patterns=tuple(row["patterns"]),
        tags=tuple(row["tags"]),
    )
