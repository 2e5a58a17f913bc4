"""Snippets: a passage as a reader wants it, without what its title already says. Pure."""

import re
from typing import Final

_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_HEADING: Final = re.compile(r"\A#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|\Z)")
_BETWEEN: Final = " › "
"""Between the headings of a section."""


def snippet(text: str, title: str, section: str) -> str:
    """Return the passage without front matter and the headings that `title` and `section` name.

    A passage that holds nothing else is returned as it is.
    """
    said = {title, *section.split(_BETWEEN)}
    shown = _FRONT_MATTER.sub("", text).strip()
    while (found := _HEADING.match(shown)) and found[1] in said:
        shown = shown[found.end() :].lstrip()
    return shown or text
