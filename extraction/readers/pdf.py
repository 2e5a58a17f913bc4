"""PDF: the text layer, pages joined by blank lines. Runs in the parsing process."""

from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError

from extraction.errors import ReadRefused
from extraction.names import one_line
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people


def parse(raw: Raw) -> Parsed:
    """Return a PDF's text, and title and author as its properties tell.

    Raises:
        ReadRefused: a password is needed, or there is more text than the limit.
    """
    reader = PdfReader(BytesIO(raw.data))
    if reader.is_encrypted:
        _open(reader)
    pages: list[str] = []
    left = raw.max_characters
    for page in reader.pages:
        text = page.extract_text().strip()
        left -= len(text) + 2
        if left < 0:
            raise ReadRefused("too_large", "more text than max_text_characters")
        if text:
            pages.append(text)
    if not pages:
        raise ReadRefused("skipped", "empty: a PDF without a text layer (a scan?)")
    facts = reader.metadata
    title = str(facts.title or "") if facts else ""
    author = str(facts.author or "") if facts else ""
    return Parsed("\n\n".join(pages), "text", title=one_line(title), authors=people(author))


def _open(reader: PdfReader) -> None:
    # Many files are locked against editing only: their reading password is empty.
    try:
        opened = reader.decrypt("")
    except DependencyError:
        opened = 0
    if not opened:
        raise ReadRefused("failed", "encrypted: a password is needed")
