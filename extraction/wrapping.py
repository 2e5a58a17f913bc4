"""Wrapping: lines that a program broke at a margin, seen as the paragraphs that they are. Pure.

Nothing is changed in a stored text. What decides where it is cut sees a space where a line was
broken for its length alone, so that a paragraph is cut between sentences and not within one.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Final

_MARGINS: Final = range(50, 101)
"""Lengths of the longest line of a paragraph between which it may have been wrapped."""
_BEGINS_ANEW: Final = re.compile(r"[ \t]|[-*+•>|#]|\d{1,3}[.)]|\w[\w -]{0,30}:[ \t]|-- ?$")
"""How a line begins that is no continuation: indented, an item, a quote, a row, a header."""


def unwrapped(text: str) -> str:
    """Return a text of equal length, with a space where a line was broken at its margin."""
    return "".join(_paragraphs(text.split("\n")))


def _paragraphs(lines: list[str]) -> Iterator[str]:
    is_first = True
    for is_text, group in itertools.groupby(lines, key=lambda line: bool(line.strip())):
        paragraph = list(group)
        margin = max(map(len, paragraph))
        may_be_wrapped = is_text and margin in _MARGINS
        for number, line in enumerate(paragraph):
            is_continued = number > 0 and may_be_wrapped
            before = paragraph[number - 1]
            joins = is_continued and _continues(before, line, margin)
            yield ("" if is_first else " " if joins else "\n") + line
            is_first = False


def _continues(before: str, line: str, margin: int) -> bool:
    if _BEGINS_ANEW.match(line):
        return False
    # Its first word had no room at the end of the line before.
    return len(before.rstrip()) + 1 + len(line.split(maxsplit=1)[0]) > margin
