"""DOCX to Markdown: headings, paragraphs, lists and tables. Runs in the parsing process."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Final

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.table import Table
from docx.text.paragraph import Paragraph

from extraction.names import one_line
from extraction.readers import properties, tables, xml, zipped
from extraction.readers.limits import gathered
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_NOTES: Final = frozenset({RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES})
_HEADING: Final = re.compile(r"heading (\d)", re.IGNORECASE)


def parse(raw: Raw) -> Parsed:
    """Return a DOCX file's text, and title, author and date as its properties tell.

    Raises:
        ReadRefused: it is a zip bomb, encrypted, or there is more text than the limit.
    """
    with zipped.opened(raw.data) as archive:
        zipped.require_plain_xml(archive)
    document = docx.Document(BytesIO(raw.data))
    blocks = gathered(_blocks(document), raw.max_characters)
    facts = document.core_properties
    return Parsed(
        "\n\n".join(blocks),
        "markdown",
        title=properties.title(facts.title) or _first_title(blocks),
        authors=people(facts.author or ""),
        modified_at=properties.first(facts.modified, facts.created),
    )


def _blocks(document: Document) -> Iterator[str]:
    for item in document.iter_inner_content():
        yield _table(item) if isinstance(item, Table) else _paragraph(item)
    yield from _remarks(document)


def _paragraph(paragraph: Paragraph) -> str:
    text = paragraph.text.strip()
    style = (paragraph.style.name or "") if paragraph.style else ""
    if heading := _HEADING.match(style):
        return f"{'#' * min(int(heading[1]) or 1, 6)} {one_line(text)}" if text else ""
    if style.lower() == "title" and text:
        return f"# {one_line(text)}"
    if style.lower().startswith("list") and text:
        return f"- {text}"
    return text


def _table(table: Table) -> str:
    rows = ([cell.text for cell in row.cells] for row in table.rows)
    return "\n".join(tables.lines(rows)).strip("\n")


def _remarks(document: Document) -> Iterator[str]:
    """Yield footnotes and comments: they stand beside the text, and are searched for like it."""
    for relation in document.part.rels.values():
        if relation.reltype in _NOTES and not relation.is_external:
            for note in xml.parsed(relation.target_part.blob).iterchildren(
                "{*}footnote", "{*}endnote"
            ):
                said = one_line("".join(part.text or "" for part in note.iter("{*}t")), 10_000)
                yield f"Note: {said}" if said else ""
    for comment in document.comments:
        said = one_line(comment.text, 10_000)
        yield f"> {comment.author or 'Comment'}: {said}" if said else ""


def _first_title(blocks: list[str]) -> str:
    heading = next((block for block in blocks if block.startswith("#")), "")
    return one_line(heading.lstrip("# "))
