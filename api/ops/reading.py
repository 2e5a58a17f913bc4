"""Reading: documents, their text in bounded pieces, and lists of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from api.ops import cursors
from api.ops.garage import Garage
from graphstore import reading, sources
from graphstore.errors import InvalidInput
from graphstore.reading import ChunkText, Document

MAX_CHARACTERS: Final = 200_000
DEFAULT_CHARACTERS: Final = 20_000
MAX_PAGE: Final = 100
LEAF_CHARACTERS: Final = 20_000
"""Code points of a document's text that one leaf stands for."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document's text. Offsets are code points."""

    document: Document
    text: str
    start: int
    end: int
    truncated: bool
    """Whether text follows; read on from `end`."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of a document: the whole chunks that begin in it. Each chunk is on one leaf."""

    document: Document
    chunks: tuple[ChunkText, ...]
    number: int
    """From 1."""
    leaves: int
    """How many leaves the document has."""
    found: str | None = None
    """The uid of the chunk that was asked for; None when none was, or it is gone."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of documents, last changed first."""

    documents: tuple[Document, ...]
    next_cursor: str | None
    """Where the next page begins; None = this is the last."""


def document(garage: Garage, reference: str) -> Document:
    """Return one document by uid, uri or path.

    Raises:
        NotFound: there is none.
        Conflict: several sources hold a document at this path.
    """
    return reading.find(garage.graph, reference)


def details(garage: Garage, uids: Sequence[str]) -> tuple[Document, ...]:
    """Return documents with what their neighbours tell; those that are gone are left out."""
    return reading.details(garage.graph, uids)


def chunks(garage: Garage, uid: str) -> tuple[ChunkText, ...]:
    """Return the chunks of a document, in order."""
    return reading.chunks(garage.graph, uid)


def read(
    garage: Garage, reference: str, start: int = 0, max_characters: int = DEFAULT_CHARACTERS
) -> Passage:
    """Return at most `max_characters` of a document's text, from `start`.

    Raises:
        NotFound: there is no such document.
        InvalidInput: `start` or `max_characters` is outside its limits.
    """
    if start < 0:
        raise InvalidInput(f"start is {start}.", hint="Count from 0.")
    if not 1 <= max_characters <= MAX_CHARACTERS:
        message = f"max_characters is {max_characters}."
        raise InvalidInput(message, hint=f"Ask for 1 to {MAX_CHARACTERS:,}.")
    found = reading.find(garage.graph, reference)
    end = min(start + max_characters, found.characters)
    pieces = reading.chunks(garage.graph, found.uid)
    text = "".join(
        piece.text[max(0, start - piece.start) : max(0, end - piece.start)] for piece in pieces
    )
    return Passage(found, text, min(start, found.characters), end, truncated=end < found.characters)


def leaf(
    garage: Garage, reference: str, number: int | None = None, chunk: str | None = None
) -> Leaf:
    """Return a leaf of a document: the one of this number, else the one that holds `chunk`.

    Raises:
        NotFound: there is no such document.
        InvalidInput: it has no such leaf.
    """
    document = reading.find(garage.graph, reference)
    leaves = max(1, -(-document.characters // LEAF_CHARACTERS))
    place = reading.place(garage.graph, document.uid, chunk) if chunk else None
    holder = 1 if place is None else place // LEAF_CHARACTERS + 1
    wanted = holder if number is None else number
    if not 1 <= wanted <= leaves:
        raise InvalidInput(f"page is {wanted}.", hint=f"The document has {leaves:,}.")
    start = (wanted - 1) * LEAF_CHARACTERS
    pieces = reading.chunks_between(garage.graph, document.uid, start, start + LEAF_CHARACTERS)
    return Leaf(document, pieces, wanted, leaves, None if place is None else chunk)


def listed(
    garage: Garage, source: str | None = None, first: int = 20, after: str | None = None
) -> Page:
    """Return a page of documents, last changed first.

    Raises:
        InvalidInput: `first` is outside 1 to 100, or `after` is no cursor of ours.
        NotFound: there is no such source.
    """
    if not 1 <= first <= MAX_PAGE:
        raise InvalidInput(f"first is {first}.", hint=f"Ask for 1 to {MAX_PAGE} at a time.")
    if source is not None:
        sources.get(garage.graph, source)
    place = cursors.position(after, "endCursor") if after else None
    found = reading.listed(garage.graph, source, place, first + 1)
    page = found[:first]
    return Page(page, cursor(page[-1]) if len(found) > first else None)


def count(garage: Garage, source: str | None = None) -> int:
    """Return how many documents a source, or all of them, hold."""
    return reading.count(garage.graph, source)


def cursor(item: Document) -> str:
    """Return the opaque place of a document in lists."""
    return cursors.cursor(item.changed_at, item.uid)
