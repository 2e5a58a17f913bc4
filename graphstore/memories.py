"""Memories: documents that say what somebody wants remembered. Read here, in one version.

A memory is a node `:Document:Memory` in a source of kind memory. Its text lives once, in its
chunks; what is counted about its recalls lives on the node, and no score is ever stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from graphstore.errors import Conflict, NotFound
from graphstore.records import STORE
from graphstore.session import Graph, Row

Kind = Literal[
    "fact", "preference", "decision", "note", "insight", "thought", "qa", "lesson", "todo"
]
Status = Literal["active", "archived", "superseded", "resolved", "dismissed"]
Origin = Literal["user", "agent", "dream", "file"]
Tier = Literal["short", "long"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that a memory rests on."""

    kind: str
    """`document` or `chunk`."""
    uid: str
    title: str
    """Of the document that it is, or is of."""
    uri: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as it is stored."""

    uid: str
    """The id that every door hands out; also that of its document."""
    uri: str
    """`memory://<uid>`; of a memory file, that of the file."""
    source: str
    """The slug of its source."""
    title: str
    """As given; else its first line, or the first heading or path of its file."""
    is_titled: bool
    """Whether the title was given."""
    text: str
    tags: tuple[str, ...]
    subjects: tuple[str, ...]
    kind: Kind
    origin: Origin
    client: str
    """Who wrote what it says now."""
    corpus_class: str
    trust: str
    importance: float
    """0 to 1."""
    confidence: float
    """0 to 1."""
    status: Status
    confirmed: bool
    """Whether the owner wrote it or said that it is so."""
    tier: Tier
    revision: int
    """From 1; every change adds one."""
    recall_count: int
    recall_days: int
    """On how many days it was recalled."""
    last_recalled_at: datetime | None
    rehearsed_at: datetime | None
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    characters: int
    chunks: int
    content_sha256: str
    is_editable: bool
    """False for a memory that is a file, and for one whose store was removed."""
    file: str | None
    """The file that it is."""
    evidence: tuple[Evidence, ...]
    embedded_models: tuple[str, ...]
    """Slugs of the models that hold all its vectors."""
    pending_models: tuple[str, ...]
    is_truncated: bool = False
    """Whether `text` is only its beginning; `characters` says how much there is."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list of memories may hold. None = anything."""

    source: str | None = None
    tag: str | None = None
    kind: str | None = None
    status: str | None = None
    origin: str | None = None
    text: str | None = None
    """Letters that its title or text holds, in either case."""

    def row(self) -> Row:
        """Return it as parameters."""
        return {
            "source": self.source,
            "tag": self.tag,
            "kind": self.kind,
            "status": self.status,
            "origin": self.origin,
            "text": self.text.lower() if self.text else None,
        }


@dataclass(frozen=True, slots=True)
class Revision:
    """What a memory said before it was changed."""

    number: int
    text: str
    title: str
    is_titled: bool
    tags: tuple[str, ...]
    subjects: tuple[str, ...]
    kind: Kind
    importance: float
    confidence: float
    trust: str
    origin: Origin
    client: str
    confirmed: bool
    tier: Tier
    expires_at: datetime | None
    at: datetime
    """When it was replaced."""
    actor: str
    """By whom."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What somebody names who means a memory."""

    uid: str
    source: str
    root: str
    kind: str
    """Of the source."""
    path: str
    is_memory: bool
    origin: str | None

    @property
    def file(self) -> str:
        """The file that it is."""
        return _file(self.root, self.path)


FIRST_REVISION: Final = 1


def get(graph: Graph, uid: str, now: datetime) -> Memory:
    """Return one memory.

    Raises:
        NotFound: there is none of this id.
    """
    found = details(graph, [uid], now)
    if not found:
        raise no_such(uid)
    return found[0]


def details(graph: Graph, uids: Sequence[str], now: datetime) -> tuple[Memory, ...]:
    """Return memories in the order of `uids`; those that are gone are left out."""
    rows = graph.read("memories/details", uids=list(uids), now=now)
    found = {row["memory"]["uid"]: _memory(row) for row in rows}
    return tuple(found[uid] for uid in uids if uid in found)


def listed(
    graph: Graph,
    wanted: MemoryFilter,
    now: datetime,
    after: tuple[datetime, str] | None,
    limit: int,
) -> tuple[Memory, ...]:
    """Return memories, last changed first, after the (updated_at, uid) of the last one seen."""
    rows = graph.read(
        "memories/list",
        **wanted.row(),
        now=now,
        after_at=after[0] if after else None,
        after_uid=after[1] if after else None,
        limit=limit,
    )
    return details(graph, [row["uid"] for row in rows], now)


def count(graph: Graph, wanted: MemoryFilter, now: datetime) -> tuple[int, int]:
    """Return how many memories a filter lets through, and in how many sources."""
    row = graph.read("memories/count", **wanted.row(), now=now)[0]
    return row["total"], row["sources"]


def standing(graph: Graph, uid: str) -> Standing | None:
    """Return what this id names; None when it is nothing, or no document."""
    rows = graph.read("memories/standing", uid=uid)
    return Standing(**rows[0]) if rows else None


def revisions(graph: Graph, uid: str) -> tuple[Revision, ...]:
    """Return what a memory said before, newest first."""
    return tuple(_revision(row["revision"]) for row in graph.read("revisions/list", of=uid))


def no_such(uid: str) -> NotFound:
    """Return the error for an id that names no memory."""
    message = f"There is no memory '{uid}'."
    return NotFound(message, hint="A list of memories or a recall shows their ids.")


def no_such_source(slug: str) -> NotFound:
    """Return the error for a slug that names no source of memories."""
    message = f"There is no memory source '{slug}'."
    return NotFound(message, hint="'garage sources' lists them; a store is of kind memory.")


def overtaken(revision: int, expected: int) -> Conflict:
    """Return the error for a change of a revision that another change has replaced."""
    message = f"The memory has revision {revision} by now, not {expected}."
    return Conflict(message, hint="Read it again, then repeat the change.")


def _memory(row: Row) -> Memory:
    found: Row = dict(row["memory"])
    root, path = row["root"], found.pop("path")
    return Memory(
        **_named(found),
        source=row["source"],
        text="".join(row["texts"]),
        is_editable=root == STORE,
        file=_file(root, path) if found["origin"] == "file" else None,
        evidence=tuple(Evidence(**each) for each in row["evidence"]),
        embedded_models=tuple(row["embedded"]),
        pending_models=tuple(row["pending"]),
    )


def _revision(row: Row) -> Revision:
    dropped = {"uid", "of", "class"}
    kept = {key: value for key, value in row.items() if key not in dropped}
    # A property that is null is not there.
    return Revision(**_lists({"expires_at": None, **kept}))


def _named(row: Row) -> Row:
    return _lists({"corpus_class" if key == "class" else key: row[key] for key in row})


def _lists(row: Row) -> Row:
    return {**row, "tags": tuple(row["tags"]), "subjects": tuple(row["subjects"])}


def _file(root: str, path: str) -> str:
    return f"{root.rstrip('/')}/{path}"
