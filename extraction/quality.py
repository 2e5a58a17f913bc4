"""The quality gate: text that nobody would look for is not stored. Pure and conservative.

Prose in any script, code, tables, poems and logs pass; noise, encoded blobs and minified
files do not.
"""

import re
import unicodedata
from collections import Counter
from typing import Final

from graphstore.records import Form

_SAMPLE_CHARACTERS: Final = 200_000
_MIN_CHARACTERS: Final = 200
"""Shorter text is never judged: too little to tell."""
_MAX_CONTROL_SHARE: Final = 0.10
_MIN_LETTER_SHARE: Final = 0.20
_MAX_BLOB_SHARE: Final = 0.80
_FEWEST_SIGNS: Final = 3
"""Different signs of a text that says anything: a gene sequence has four."""
_MINIFIED_LINE: Final = 1_000
_MINIFIED_SPACE_SHARE: Final = 0.08
_BLOB_LINE: Final = re.compile(r"[A-Za-z0-9+/=_-]{48,}")
_LAYOUT: Final = frozenset("\n\t\r\f\v")


def defect_of(text: str, form: Form) -> str | None:
    """Return why a text is not worth storing, in one sentence, or None when it is."""
    sample = text[:_SAMPLE_CHARACTERS]
    counts = Counter(sample)  # each distinct character is looked at once
    visible = sum(n for c, n in counts.items() if not c.isspace())
    if visible < _MIN_CHARACTERS:
        return None
    if sum(n for c, n in counts.items() if _is_noise(c)) > visible * _MAX_CONTROL_SHARE:
        return "mostly control or undecodable characters"
    if _encoded(sample) > visible * _MAX_BLOB_SHARE:
        return "an encoded blob (base64 or the like)"
    if sum(n for c, n in counts.items() if _is_letter(c)) < visible * _MIN_LETTER_SHARE:
        return "mostly not letters or digits"
    if form == "code" and _is_minified(sample, visible):
        return "minified or generated code"
    if sum(not c.isspace() for c in counts) < _FEWEST_SIGNS:
        return "one or two signs, over and over"
    return None


def _is_noise(c: str) -> bool:
    return c == "�" or (c not in _LAYOUT and unicodedata.category(c) == "Cc")


def _is_letter(c: str) -> bool:
    # Marks count as letters: vowel signs of Indic scripts are marks.
    return c.isalnum() or unicodedata.category(c)[0] == "M"


def _encoded(sample: str) -> int:
    return sum(len(line) for line in map(str.strip, sample.split("\n")) if _is_encoded(line))


def _is_encoded(line: str) -> bool:
    # Upper, lower and digits together: long words, rulers and gene sequences are not encoded.
    return bool(
        _BLOB_LINE.fullmatch(line)
        and re.search("[A-Z]", line)
        and re.search("[a-z]", line)
        and re.search("[0-9]", line)
    )


def _is_minified(sample: str, visible: int) -> bool:
    average = len(sample) / (sample.count("\n") + 1)
    spaces = len(sample) - visible
    return average > _MINIFIED_LINE and spaces < len(sample) * _MINIFIED_SPACE_SHARE
