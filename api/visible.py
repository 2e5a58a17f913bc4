"""Visible: stored text made harmless to show, on a terminal and on a page.

Characters that steer what shows them are written out, so that a reader sees that they are there.
"""

import re
from typing import Final

# C0 without line feed and tab, DEL, C1 (0x9B alone begins a sequence), the signs that turn the
# direction of what follows, line and paragraph separators, lone surrogates.
UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SPACE: Final = re.compile(r"\s+")


def safe(text: str) -> str:
    """Return text whose control characters are written out; lines and tabs stay."""
    return UNSAFE.sub(_written_out, text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """Return text as one line without control characters."""
    return safe(_SPACE.sub(" ", text).strip())


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
