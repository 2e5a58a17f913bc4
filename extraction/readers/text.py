"""Plain text, kept as it is. Its title is its first line, where that reads like one."""

from typing import Final

from extraction.names import one_line
from extraction.readers.decoding import decode
from extraction.readers.parsed import Parsed, Raw

_MAX_TITLE: Final = 100
_OPENING: Final = 2_000
_ENDS_OF_PROSE: Final = tuple(".,;:!?…。，")


def parse(raw: Raw) -> Parsed:
    """Return a text file's text and title."""
    text = decode(raw.data)
    return Parsed(text, "text", title=first_line(text))


def first_line(text: str) -> str:
    """Return the first line when it is short, has letters, ends no sentence, and text follows."""
    first, _, rest = text[:_OPENING].strip().partition("\n")
    line = one_line(first)
    is_title = (
        len(line) <= _MAX_TITLE
        and any(map(str.isalpha, line))
        and not line.endswith(_ENDS_OF_PROSE)
        and rest.strip() != ""
    )
    return line if is_title else ""
