"""Plain text, kept as it is."""

from extraction.readers.decoding import decode
from extraction.readers.parsed import Parsed, Raw


def parse(raw: Raw) -> Parsed:
    """Return a text file's text."""
    return Parsed(decode(raw.data), "text")
