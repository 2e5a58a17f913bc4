"""DOCX to Markdown: headings, paragraphs, lists and tables. Runs in the parsing process."""

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Final

import docx
from docx.document import Document
from docx.table import Table
from docx.text.paragraph import Paragraph

from extraction.errors import ReadRefused
from extraction.names import one_line
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_MAX_ENTRIES: Final = 10_000
_MAX_UNPACKED: Final = 512 * 1024 * 1024
_MAX_RATIO: Final = 100
_RATIO_FROM: Final = 4 * 1024 * 1024
"""Bytes of an entry from which its ratio is looked at: small ones pack well and harm nobody."""
_HEADING: Final = re.compile(r"heading (\d)", re.IGNORECASE)


def parse(raw: Raw) -> Parsed:
    """Return a DOCX file's text, and title and author as its properties tell.

    Raises:
        ReadRefused: it is a zip bomb, or there is more text than the limit.
    """
    _check(raw.data)
    document = docx.Document(BytesIO(raw.data))
    blocks: list[str] = []
    left = raw.max_characters
    for block in _blocks(document):
        left -= len(block) + 2
        if left < 0:
            raise ReadRefused("too_large", "more text than max_text_characters")
        blocks.append(block)
    facts = document.core_properties
    return Parsed(
        "\n\n".join(blocks),
        "markdown",
        title=one_line(facts.title or "") or _first_title(blocks),
        authors=people(facts.author or ""),
    )


def _check(data: bytes) -> None:
    # Declared sizes suffice: reading an entry stops at the size it declares.
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    if len(entries) > _MAX_ENTRIES or total > _MAX_UNPACKED:
        raise ReadRefused("failed", "a zip bomb: too many or too large entries")
    for entry in entries:
        if entry.file_size > max(_RATIO_FROM, entry.compress_size * _MAX_RATIO):
            raise ReadRefused("failed", "a zip bomb: an entry unpacks to over 100 times its size")


def _blocks(document: Document) -> Iterator[str]:
    for item in document.iter_inner_content():
        text = _table(item) if isinstance(item, Table) else _paragraph(item)
        if text.strip():
            yield text


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
    rows = [[one_line(cell.text, 10_000) for cell in row.cells] for row in table.rows]
    lines = [f"| {' | '.join(row)} |" for row in rows if any(row)]
    if len(lines) > 1:
        lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _first_title(blocks: list[str]) -> str:
    heading = next((block for block in blocks if block.startswith("#")), "")
    return one_line(heading.lstrip("# "))
