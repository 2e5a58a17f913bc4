"""Drops: texts that were handed over as they are, kept byte for byte as documents of one inbox."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from graphstore import documents, jobs
from graphstore.documents import Unit, Writing
from graphstore.errors import Conflict
from graphstore.privacy import most_restrictive
from graphstore.records import DROPS, ChunkDraft, Draft, Wanted
from graphstore.session import Graph, Transaction

SLUG: Final = "stored"
"""The inbox of handed over texts; made with the first one."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A text that is handed over."""

    draft: Draft
    """Its address is the hash of its bytes: the same text is one document."""
    pieces: tuple[ChunkDraft, ...]
    kind: str
    client: str
    subjects: tuple[str, ...]
    category: str
    job: Wanted | None = None
    """What distils it, also when it is there already; None = nothing is to."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What became of it."""

    uid: str
    created: bool
    job_uid: str | None


def put(graph: Graph, drop: Drop, writing: Writing) -> Dropped:
    """Keep a text, unless a document of these very bytes is there; queue what is to be done.

    The class of one that is there becomes as restrictive as the one that is asked for.

    Raises:
        Conflict: the inbox is being removed, or its name is taken.
    """
    return graph.write(partial(_put, drop=drop, writing=writing))


def _put(tx: Transaction, drop: Drop, writing: Writing) -> Dropped:
    row = tx.run("sources/put_drops", slug=SLUG, root=DROPS, now=writing.now)[0]
    if row["root"] != DROPS or row["removing"]:
        why = "is being removed" if row["removing"] else f"is the source {row['root']}"
        message = f"'{SLUG}', where texts are kept that are handed over, {why}."
        raise Conflict(message, hint=f"Try again after 'garage remove-source {SLUG}'.")
    tx.run("graph/advance", count=0)
    there = tx.run("documents/claimed", uri=drop.draft.uri)
    uid = there[0]["uid"] if there else drop.draft.uid
    if _is_to_write(there[0] if there else None, drop):
        tighter = most_restrictive([drop.draft.corpus_class, *(each["class"] for each in there)])
        draft = replace(drop.draft, corpus_class=tighter)
        documents.replace_in(tx, [Unit(((draft, drop.pieces),))], writing)
        properties = {
            "kind": drop.kind,
            "client": drop.client,
            "subjects": list(drop.subjects),
            "category": drop.category,
        }
        tx.run("documents/describe", uid=uid, properties=properties)
    wanted = [jobs.wanted(drop.job, uid, drop.draft.content_sha256)] if drop.job else []
    queued = jobs.enqueue(tx, wanted, writing.now)
    # The same uid: it is new, or the reply to an earlier commit of this very unit was lost.
    return Dropped(uid, uid == drop.draft.uid, next(iter(queued.values()), None))


def _is_to_write(there: dict[str, str] | None, drop: Drop) -> bool:
    """Say whether it is new, or ours and less restricted than is asked for now."""
    if there is None:
        return True
    tighter = most_restrictive([there["class"], drop.draft.corpus_class])
    return there["source"] == SLUG and tighter != there["class"]
