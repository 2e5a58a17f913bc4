"""ODT, ODS and ODP to Markdown: text, sheets and slides. Runs in the parsing process.

Read from the XML itself: a cell may say that it is repeated a million times, and is written once.
"""

import zipfile
from collections.abc import Iterator
from typing import Any, Final

from extraction.errors import ReadRefused
from extraction.names import one_line
from extraction.readers import properties, tables, xml, zipped
from extraction.readers.limits import bounded
from extraction.readers.markdown import first_heading
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION: Final = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_MANIFEST: Final = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
_MAX_REPEATED: Final = 100
"""Copies of a cell or row with text that are written; spreadsheets are filled down to their end."""
_PASSED_OVER: Final = frozenset(
    {
        *(f"{_TEXT}{name}" for name in ("tracked-changes", "table-of-content", "sequence-decls")),
        *(f"{_OFFICE}{name}" for name in ("forms", "scripts", "event-listeners")),
        f"{_PRESENTATION}settings",
        f"{_DRAW}page-thumbnail",
    }
)
"""Elements that show nothing, show it again, or what was deleted."""
_BREAKS: Final = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n", f"{_TEXT}s": " "}


def parse(raw: Raw) -> Parsed:
    """Return the text of a document, with title, author and date as its properties tell.

    Raises:
        ReadRefused: it is a zip bomb, encrypted, or there is more text than the limit.
    """
    with zipped.opened(raw.data) as archive:
        zipped.require_plain_xml(archive)
        _require_unlocked(archive)
        body = xml.parsed(archive.read("content.xml")).find(f"{_OFFICE}body")
        if body is None:
            raise ReadRefused("failed", "damaged: it has no body")
        pieces = list(bounded(_blocks(body), raw.max_characters))
        facts = _facts(archive)
    text = "\n".join(pieces).strip("\n")
    return Parsed(
        text,
        "markdown",
        title=properties.title(facts.get("title")) or first_heading(text),
        authors=people(facts.get("creator") or facts.get("initial-creator") or ""),
        modified_at=properties.first(facts.get("date"), facts.get("creation-date")),
    )


def _require_unlocked(archive: zipfile.ZipFile) -> None:
    if "META-INF/manifest.xml" in archive.namelist():
        manifest = xml.parsed(archive.read("META-INF/manifest.xml"))
        if next(manifest.iter(f"{_MANIFEST}encryption-data"), None) is not None:
            raise ReadRefused("failed", zipped.LOCKED)


def _facts(archive: zipfile.ZipFile) -> dict[str, str]:
    if "meta.xml" not in archive.namelist():
        return {}
    found = xml.parsed(archive.read("meta.xml")).iter("{*}*")
    return {str(e.tag).rpartition("}")[2]: e.text.strip() for e in found if e.text}


def _blocks(element: Any) -> Iterator[str]:
    """Yield the lines of what is in an element, a blank one before each block."""
    for number, child in enumerate(element, 1):
        tag = child.tag
        if tag in _PASSED_OVER or not isinstance(tag, str):
            continue
        if tag == f"{_TEXT}h":
            level = _number(child, f"{_TEXT}outline-level")
            yield from ("", f"{'#' * min(level, 6)} {one_line(_inline(child), 10_000)}")
        elif tag == f"{_TEXT}p":
            yield from _paragraph(child)
        elif tag == f"{_TEXT}list":
            yield ""
            yield from _items(child, 0)
        elif tag == f"{_TABLE}table":
            yield from _table(child)
        elif tag == f"{_DRAW}page":
            yield from _slide(child, number)
        elif tag == f"{_PRESENTATION}notes":
            said = one_line(" ".join(_blocks(child)), 100_000)
            yield from ("", f"Notes: {said}") if said else ()
        else:
            yield from _blocks(child)


def _paragraph(element: Any) -> Iterator[str]:
    yield from ("", _inline(element).strip())
    for remark in element.iter(f"{_OFFICE}annotation"):
        who = next((e.text for e in remark.iter("{*}creator") if e.text), "Comment")
        said = " ".join(_inline(p) for p in remark.iter(f"{_TEXT}p"))
        yield from ("", f"> {one_line(who)}: {one_line(said, 10_000)}")
    for frame in element.iter(f"{_DRAW}text-box"):
        yield from _blocks(frame)


def _inline(element: Any) -> str:
    parts = [element.text or ""]
    for child in element:
        tag = child.tag
        if tag in _BREAKS:
            parts.append(_BREAKS[tag])
        elif tag == f"{_TEXT}note":
            body = " ".join(_inline(p) for p in child.iter(f"{_TEXT}p"))
            parts.append(f" [{one_line(body, 10_000)}]")
        elif tag not in {f"{_OFFICE}annotation", f"{_DRAW}frame"} and isinstance(tag, str):
            parts.append(_inline(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _items(element: Any, depth: int) -> Iterator[str]:
    for item in element:
        for child in item:
            if child.tag == f"{_TEXT}list":
                yield from _items(child, depth + 1)
            elif child.tag in {f"{_TEXT}p", f"{_TEXT}h"}:
                yield f"{'  ' * min(depth, 9)}- {one_line(_inline(child), 100_000)}"


def _slide(page: Any, number: int) -> Iterator[str]:
    titles = (f for f in page.iter(f"{_DRAW}frame") if f.get(f"{_PRESENTATION}class") == "title")
    frame = next(titles, None)
    named = ""
    if frame is not None:
        named = one_line(" ".join(_inline(p) for p in frame.iter(f"{_TEXT}p")))
        frame.clear(keep_tail=True)
    yield from ("", f"## {named or f'Slide {number}'}")
    yield from _blocks(page)


def _table(element: Any) -> Iterator[str]:
    sheet = one_line(element.get(f"{_TABLE}name") or "")
    if element.getparent().tag == f"{_OFFICE}spreadsheet" and sheet:
        yield from ("", f"## {sheet}")
    yield from tables.lines(_rows(element))


def _rows(table: Any) -> Iterator[list[str]]:
    for row in table.iter(f"{_TABLE}table-row"):
        cells = _cells(row)
        times = _number(row, f"{_TABLE}number-rows-repeated")
        for _ in range(min(times, _MAX_REPEATED) if any(cells) else 1):
            yield cells


def _cells(row: Any) -> list[str]:
    cells: list[str] = []
    blank = 0
    for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        times = min(_number(cell, f"{_TABLE}number-columns-repeated"), _MAX_REPEATED)
        text = " ".join(_inline(p) for p in cell.iterchildren(f"{_TEXT}p", f"{_TEXT}h", "{*}list"))
        if text:
            # Blank cells count only before one that is not: sheets are blank to their last column.
            cells += [""] * blank + [text] * times
            blank = 0
        else:
            blank += times
    return cells


def _number(element: Any, name: str) -> int:
    stated = element.get(name) or "1"
    return max(int(stated), 1) if stated.isdecimal() and len(stated) < 10 else 1
