"""Facts of a document: what it states, as of a time and as known at one."""

from dataclasses import dataclass
from datetime import datetime

from api.ops.garage import Garage
from graphstore import facts, reading
from graphstore.facts import Fact, Standing, Which
from graphstore.reading import Document


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a document states."""

    document: Document
    facts: tuple[Fact, ...]
    """In the order of its text; those that have ended last."""
    standing: Standing


def of_document(
    garage: Garage,
    reference: str,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    ended: bool = False,
) -> DocumentFacts:
    """Return what a document states: all of it that is known now, or what was so at a time.

    Raises:
        NotFound: there is no such document.
        Conflict: several sources hold a document at this path.
    """
    document = reading.find(garage.graph, reference)
    which = Which(as_of=as_of, known_at=known_at, ended=ended)
    found = facts.of_document(garage.graph, document.uid, which)
    return DocumentFacts(document, found, facts.standing(garage.graph, document.uid))
