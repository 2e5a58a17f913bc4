"""Predicates: the closed table of relationship types that carry triples.

A type that is not in this table, or not registered by the owner, never reaches Cypher. Structural
types are reserved: they are edges of the store, not statements about the world.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from graphstore import queries
from graphstore.errors import InvalidInput
from graphstore.session import Graph

NAME: Final = re.compile("[A-Z][A-Z0-9_]{0,39}")

RESERVED: Final = frozenset(
    {
        "FROM", "HAS_CHUNK", "NEXT", "GROUNDED_IN", "STATES", "SUBJECT", "OBJECT", "CANONICAL",
        "COVERS", "OF", "CITES", "KNOWN_AS", "IDENTIFIES", "MEMBER_OF", "PART_OF_COMMUNITY",
        "IN_CATEGORY", "CHILD_OF", "FOR", "RETURNED", "TOUCHED", "ABOUT", "IS_ABOUT", "MENTIONS",
        "SIMILAR_TO", "SUPPORTED_BY", "SUPERSEDES", "MERGED_FROM", "NOT_SAME_AS",
    }
)  # fmt: skip
"""Structural types. Registering one as a predicate is refused."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A kind of statement."""

    name: str
    definition: str
    functional: bool = False
    """Whether a subject has at most one object at a time."""
    builtin: bool = True


BUILTIN: Final = (
    Predicate("AUTHORED_BY", "The document was written by the person."),
    Predicate("REPLIES_TO", "The message answers the other message.", functional=True),
    Predicate(
        "IN_THREAD", "The message belongs to the thread that the other began.", functional=True
    ),
    Predicate("ATTACHMENT_OF", "The document was attached to the message.", functional=True),
    Predicate("REVISES", "The document is a later version of the other."),
    Predicate("LINKS_TO", "The document links to the other."),
    Predicate("SAME_PROJECT", "Both documents belong to one project."),
    Predicate("RELATED_TO", "The two are related in a way that no other predicate names."),
)
"""The predicates that Garage ships, made by rules."""


def register(graph: Graph, predicates: Sequence[Predicate]) -> None:
    """Register predicates with the uniqueness of their triples' uids. Idempotent.

    Raises:
        InvalidInput: a name is reserved or not of the form `[A-Z][A-Z0-9_]{0,39}`.
    """
    for predicate in predicates:
        _check(predicate.name)
    for predicate in predicates:
        for statement in queries.statements("templates/predicate", type=predicate.name):
            graph.schema(statement)
    rows = [asdict(predicate) for predicate in predicates]
    graph.write(lambda tx: tx.run("predicates/put", rows=rows))


def registered(graph: Graph) -> tuple[Predicate, ...]:
    """Return the predicate table as the database has it, by name."""
    return tuple(Predicate(**row) for row in graph.read("predicates/list"))


def _check(name: str) -> None:
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot name a predicate."
        raise InvalidInput(message, hint="Use capitals, digits and underscores, at most 40.")
    if name in RESERVED:
        message = f"{name} is a structural type of the graph."
        raise InvalidInput(message, hint="Choose another name for the predicate.")
