"""Source code and configuration, kept as they are; the title is the path."""

from extraction.language import programming_language
from extraction.readers.decoding import decode
from extraction.readers.parsed import Parsed, Raw


def parse(raw: Raw) -> Parsed:
    """Return a program's text and language."""
    return Parsed(
        decode(raw.data),
        "code",
        title=raw.path,
        corpus_class="code",
        language=programming_language(raw.path),
    )
