"""Authors: who wrote what. A person is known by identity (an e-mail address), else by name.

Two people of one name stay two as long as their identities differ; one identity is one person
however the name is spelled. A name without an identity goes to the one person who bears it, or to
the person known by that name alone when none or several do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from graphstore.clock import new_uid
from graphstore.names import normalised
from graphstore.privacy import CLASSES
from graphstore.records import Author
from graphstore.session import Row, Transaction


@dataclass(frozen=True, slots=True)
class Authorship:
    """The authors of one document, with what their edges need."""

    document_uid: str
    authors: tuple[Author, ...]
    corpus_class: str
    trust: str
    written_at: datetime


@dataclass(slots=True)
class _Known:
    """Persons in the graph, and those about to be."""

    by_identity: dict[str, str]
    by_alias: dict[str, set[str]]
    homonyms: dict[str, set[int]]
    by_name_alone: dict[str, str]
    owner: str | None
    created: list[Row] = field(default_factory=list[Row])


def write(
    tx: Transaction,
    authorships: Sequence[Authorship],
    *,
    numbers: Iterator[int],
    now: datetime,
    version: int,
) -> frozenset[str]:
    """Write who wrote each document; return the uids of those persons.

    `numbers` yields free `ix` numbers, at least one for each author of each document.
    """
    if not any(authorship.authors for authorship in authorships):
        return frozenset()
    known = _known(tx, authorships)
    names: list[Row] = []
    edges: list[Row] = []
    identities: list[Row] = []
    for authorship in authorships:
        for author in authorship.authors:
            uid = _resolved(known, author, authorship, identities, numbers)
            names.append(_name(uid, author))
            edges.append(
                {
                    "document_uid": authorship.document_uid,
                    "entity_uid": uid,
                    "class": authorship.corpus_class,
                    "trust": authorship.trust,
                    "valid_from": authorship.written_at,
                }
            )
    tx.run("entities/create_persons", rows=known.created, now=now, version=version)
    tx.run("entities/identify", rows=identities)
    tx.run("entities/know_as", rows=names, now=now, version=version)
    tx.run("entities/author", rows=edges, now=now, version=version)
    return frozenset(row["entity_uid"] for row in edges)


def count(authorships: Sequence[Authorship]) -> int:
    """Return how many `ix` numbers `write` may need."""
    return sum(len(authorship.authors) for authorship in authorships)


def settle(tx: Transaction, uids: Iterable[str]) -> None:
    """Remove those of these persons whom nothing mentions now; class the names of the others.

    A name is communication only while everything that mentions it is.
    """
    settled = sorted(set(uids))
    tx.run("entities/remove_orphans", uids=settled)
    tx.run("entities/reclass", uids=settled, classes=list(_OPEN_FIRST))


_OPEN_FIRST: Final = CLASSES[1:] + CLASSES[:1]


def _known(tx: Transaction, authorships: Sequence[Authorship]) -> _Known:
    authors = {author for authorship in authorships for author in authorship.authors}
    names = sorted({normalised(author.name) for author in authors})
    keys = sorted({author.identity for author in authors if author.identity})
    by_alias: dict[str, set[str]] = defaultdict(set)
    for row in tx.run("entities/authors_by_alias", keys=names):
        by_alias[row["key"]].add(row["uid"])
    homonyms = tx.run("entities/homonyms", names=names)
    owner = tx.run("entities/owner") if any(author.is_self for author in authors) else []
    return _Known(
        by_identity={row["key"]: row["uid"] for row in tx.run("entities/by_identity", keys=keys)},
        by_alias=by_alias,
        homonyms={row["name"]: set(row["numbers"]) for row in homonyms},
        by_name_alone={row["name"]: row["alone"] for row in homonyms if row["alone"]},
        owner=owner[0]["uid"] if owner else None,
    )


def _resolved(
    known: _Known,
    author: Author,
    authorship: Authorship,
    identities: list[Row],
    numbers: Iterator[int],
) -> str:
    name = normalised(author.name)
    uid = _found(known, author, name)
    if uid is None:
        uid = _new(known, author, name, authorship.corpus_class, numbers)
    if author.identity and author.identity not in known.by_identity:
        known.by_identity[author.identity] = uid
        identities.append({"key": author.identity, "uid": uid})
    if author.is_self and known.owner is None:
        known.owner = uid
    known.by_alias.setdefault(name, set()).add(uid)
    return uid


def _found(known: _Known, author: Author, name: str) -> str | None:
    if author.identity and author.identity in known.by_identity:
        return known.by_identity[author.identity]
    if author.is_self and known.owner:
        return known.owner
    if author.identity:
        return None
    bearers = known.by_alias.get(name, set())
    return next(iter(bearers)) if len(bearers) == 1 else known.by_name_alone.get(name)


def _new(
    known: _Known, author: Author, name: str, corpus_class: str, numbers: Iterator[int]
) -> str:
    homonyms = known.homonyms.setdefault(name, set())
    # Number 0 is a person known by name alone; those with an identity count from 1.
    is_bare = author.identity is None and not author.is_self and 0 not in homonyms
    number = 0 if is_bare else max(homonyms | {0}) + 1
    homonyms.add(number)
    uid = new_uid()
    if is_bare:
        known.by_name_alone[name] = uid
    known.created.append(
        {
            "uid": uid,
            "ix": next(numbers),
            "key": f"{name}#{number}",
            "name": " ".join(author.name.split()),
            "class": corpus_class,
        }
    )
    return uid


def _name(uid: str, author: Author) -> Row:
    return {
        "uid": uid,
        "key": normalised(author.name),
        "text": " ".join(author.name.split()),
        "is_self": author.is_self,
        "rule": "identity" if author.identity else "name",
    }
