"""Document: what is stored of one, its neighbours, and its text leaf by leaf."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from api.ops import originals, reading
from api.ops.garage import Garage
from api.ops.originals import Original
from api.ops.reading import Leaf
from api.serve.pages.desk import Desk
from api.serve.pages.form import address
from api.serve.pages.rendering import page
from graphstore.errors import InvalidInput
from graphstore.reading import ChunkText, Document

_BINARY: Final = "application/octet-stream"
_NEIGHBOURS: Final = (
    ("Answers", "replies_to"),
    ("Begins its thread", "thread"),
    ("Attached to", "attachment_of"),
    ("Attachments", "attachments"),
)
"""What a document's neighbours are to it, and the field that names them."""


@dataclass(frozen=True, slots=True)
class Section:
    """Passages that follow one another below the same headings."""

    heading: str
    chunks: tuple[ChunkText, ...]

    @property
    def anchor(self) -> str:
        """Where it is on its page."""
        return f"p{self.chunks[0].ordinal}"


@dataclass(frozen=True, slots=True)
class Links:
    """Where the page of a document leads."""

    document: Document
    back: str
    """The search that led here, as a query string; empty = none did."""

    def page(self, number: int) -> str:
        """Return another leaf."""
        return self._here(page=str(number))

    def passage(self, chunk: ChunkText) -> str:
        """Return this passage, marked."""
        return f"{self._here(passage=chunk.uid)}#found"

    def author(self, name: str) -> str:
        """Return a search among what an author wrote."""
        return address([("author", name)])

    @property
    def source(self) -> str:
        """A search in the document's source."""
        return address([("source", self.document.source)])

    @property
    def original(self) -> str:
        """The file that it was read from."""
        return f"/document/original?{_query(ref=self.document.uri)}"

    @property
    def search(self) -> str:
        """The search that led here, or a new one."""
        return f"/search?{self.back}" if self.back else "/search"

    @property
    def neighbours(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The neighbours that there are: what they are to it, and each one's name and page."""
        return [
            (title, [(uri, f"/document?{_query(ref=uri)}") for uri in uris])
            for title, field in _NEIGHBOURS
            if (uris := getattr(self.document, field))
        ]

    def _here(self, **more: str) -> str:
        back = {"back": self.back} if self.back else {}
        return f"/document?{_query(ref=self.document.uri, **more, **back)}"


class DocumentPage:
    """The pages of documents."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, request: Request) -> Response:
        """Show a document, at the leaf or the passage that the address names."""
        asked = request.query_params
        reference, passage = asked.get("ref", ""), asked.get("passage", "")
        leaf, original = await self._desk.run(
            _leaf, reference, _page_number(asked.get("page", "")), passage
        )
        return page(
            "document.html",
            document=leaf.document,
            leaf=leaf,
            original=original,
            sections=_sections(leaf.chunks),
            links=Links(leaf.document, _back(asked.get("back", ""))),
            is_gone=bool(passage) and leaf.found is None,
        )

    async def original(self, request: Request) -> Response:
        """Hand out the file that a document was read from, to be kept and never run here."""
        reference = request.query_params.get("ref", "")
        found = await self._desk.run(originals.opened, reference)
        return FileResponse(found.file, media_type=_BINARY, filename=found.name)


def _leaf(
    garage: Garage, reference: str, number: int | None, passage: str
) -> tuple[Leaf, Original]:
    leaf = reading.leaf(garage, reference, number, passage or None)
    return leaf, originals.of(garage, leaf.document)


def _sections(chunks: tuple[ChunkText, ...]) -> list[Section]:
    grouped = groupby(chunks, key=lambda chunk: chunk.heading)
    return [Section(heading, tuple(below)) for heading, below in grouped]


def _back(text: str) -> str:
    """Return the search that led here, made anew: it can be nothing but a search."""
    return urlencode(parse_qsl(text, errors="replace"), errors="replace")


def _query(**pairs: str) -> str:
    return urlencode(pairs, errors="replace")


def _page_number(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise InvalidInput(f"page is '{text}'.", hint="Write a number, from 1.") from error
