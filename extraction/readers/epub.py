"""EPUB to Markdown: the chapters of a book in reading order. Runs in the parsing process."""

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from bs4.dammit import EncodingDetector

from extraction.errors import ReadRefused
from extraction.names import one_line
from extraction.readers import properties, xml, zipped
from extraction.readers.decoding import decode
from extraction.readers.html import to_markdown
from extraction.readers.limits import gathered
from extraction.readers.markdown import first_heading
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})


def parse(raw: Raw) -> Parsed:
    """Return the text of a book, with title, authors and date as it states them.

    Raises:
        ReadRefused: it is a zip bomb, protected, or there is more text than the limit.
    """
    with zipped.opened(raw.data) as archive:
        package, pages = _spine(archive)
        _require_unlocked(archive, pages)
        chapters = gathered(_chapters(archive, pages), raw.max_characters)
    text = "\n\n".join(chapters)
    stated = {str(e.tag).rpartition("}")[2]: one_line(e.text or "") for e in package.iter("{*}*")}
    creators = [e.text for e in package.iter("{*}creator") if e.text]
    changed = [e.text for e in package.iter("{*}meta") if e.get("property") == "dcterms:modified"]
    return Parsed(
        text,
        "markdown",
        title=properties.title(stated.get("title")) or first_heading(text),
        authors=people(";".join(creators)),
        modified_at=properties.first(*changed, stated.get("date")),
    )


def _spine(archive: zipfile.ZipFile) -> tuple[Any, list[str]]:
    """Return the package and the names of its pages in reading order."""
    container = xml.parsed(archive.read(_CONTAINER))
    root = next(container.iter("{*}rootfile"), None)
    place = (root.get("full-path") or "") if root is not None else ""
    package = xml.parsed(archive.read(place))
    items = {item.get("id"): item for item in package.iter("{*}item")}
    read = [
        items[ref.get("idref")] for ref in package.iter("{*}itemref") if ref.get("idref") in items
    ]
    folder = posixpath.dirname(place)
    return package, [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
        for item in read
        # A table of contents says again what the chapters are called.
        if item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "").split()
    ]


def _require_unlocked(archive: zipfile.ZipFile, pages: list[str]) -> None:
    # Fonts alone are often encrypted, and then the book can be read.
    if _ENCRYPTION in archive.namelist():
        locked = xml.parsed(archive.read(_ENCRYPTION)).iter("{*}CipherReference")
        if {unquote(each.get("URI") or "") for each in locked} & set(pages):
            raise ReadRefused("failed", "protected: its pages are encrypted")


def _chapters(archive: zipfile.ZipFile, pages: list[str]) -> Iterator[str]:
    names = frozenset(archive.namelist())
    # Each page once: a spine may name one a million times.
    for page in dict.fromkeys(pages):
        if page in names:
            data = archive.read(page)
            declared = EncodingDetector.find_declared_encoding(data, is_html=True)
            yield to_markdown(decode(data, declared))
