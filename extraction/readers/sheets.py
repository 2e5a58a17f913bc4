"""XLSX to Markdown: sheets by name, their rows as tables. Runs in the parsing process.

Values are those that were last computed; formulas are not shown. Rows are read one by one.
"""

import datetime as dt
import re
import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, Final, cast

import openpyxl

from extraction.names import one_line
from extraction.readers import properties, tables, xml, zipped
from extraction.readers.limits import bounded
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_MAX_ROWS: Final = 1_048_576
"""Rows of a sheet, as Excel has them: a file may number one a billion, with nothing before it."""
_COMMENTS: Final = re.compile(r"xl/(?:threadedComments/threadedComment|comments/?comment|comments)")


def parse(raw: Raw) -> Parsed:
    """Return the text of a workbook, with title, author and date as its properties tell.

    Raises:
        ReadRefused: it is a zip bomb, encrypted, or there is more text than the limit.
    """
    with zipped.opened(raw.data) as archive:
        zipped.require_plain_xml(archive)
        comments = [name for name in archive.namelist() if _COMMENTS.match(name)]
        book = openpyxl.load_workbook(BytesIO(raw.data), read_only=True, data_only=True)
        lines = list(bounded(_lines(book, archive, comments), raw.max_characters))
    facts = book.properties
    return Parsed(
        "\n".join(lines).strip("\n"),
        "markdown",
        title=properties.title(facts.title),
        authors=people(facts.creator or ""),
        modified_at=properties.first(facts.modified, facts.created),
    )


def _lines(book: Any, archive: zipfile.ZipFile, comments: list[str]) -> Iterator[str]:
    for sheet in book.worksheets:
        yield from ("", f"## {one_line(sheet.title)}")
        # What a sheet claims of its size may be wrong: rows are as long as their cells.
        sheet.reset_dimensions()
        rows = (
            [shown(value) for value in row]
            for row in sheet.iter_rows(max_row=_MAX_ROWS, values_only=True)
        )
        yield from tables.lines(rows)
    said = [text for name in comments for text in _comments(archive.read(name))]
    if said:
        yield from ("", "## Comments", "", *said)


def shown(value: object) -> str:
    """Return a cell's value as a person would write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, dt.datetime):
        is_day = value.time() == dt.time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "minutes")
    return str(value)


def _comments(data: bytes) -> Iterator[str]:
    for element in xml.parsed(data).iter("{*}comment", "{*}threadedComment"):
        words = one_line("".join(cast("Iterable[str]", element.itertext())), 10_000)
        if words:
            yield f"- {element.get('ref', '')}: {words}"
