"""PDF: the text layer, pages joined by blank lines. Runs in the parsing process."""

from collections.abc import Iterator
from datetime import datetime
from io import BytesIO

from pypdf import DocumentInformation, PdfReader
from pypdf.errors import DependencyError

from extraction.errors import ReadRefused
from extraction.readers import properties
from extraction.readers.limits import gathered
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people
from extraction.readers.zipped import LOCKED


def parse(raw: Raw) -> Parsed:
    """Return a PDF's text, and title, author and date as its properties tell.

    Raises:
        ReadRefused: a password is needed, or there is more text than the limit.
    """
    reader = PdfReader(BytesIO(raw.data))
    if reader.is_encrypted:
        _open(reader)
    pages = gathered((page.extract_text().strip() for page in reader.pages), raw.max_characters)
    if not pages:
        raise ReadRefused("skipped", "empty: a PDF without a text layer (a scan?)")
    facts = reader.metadata
    if facts is None:
        return Parsed("\n\n".join(pages), "text")
    return Parsed(
        "\n\n".join(pages),
        "text",
        title=properties.title(str(facts.title or "")),
        authors=people(str(facts.author or "")),
        modified_at=properties.first(*_dates(facts)),
    )


def _dates(facts: DocumentInformation) -> Iterator[datetime | None]:
    for name in ("modification_date", "creation_date"):
        try:
            yield getattr(facts, name)
        except ValueError:
            yield None  # written in a way of its own


def _open(reader: PdfReader) -> None:
    # Many files are locked against editing only: their reading password is empty.
    try:
        opened = reader.decrypt("")
    except DependencyError:
        opened = 0
    if not opened:
        raise ReadRefused("failed", LOCKED)
