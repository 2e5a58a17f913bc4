"""Properties: what a document says of itself, as far as it can be believed."""

import datetime as dt
import re
from typing import Final

from extraction.names import one_line

_EARLIEST: Final = 1985
_TEMPLATES: Final = frozenset(
    {
        dt.datetime(2013, 1, 27, 9, 15, 58, tzinfo=dt.UTC),  # of python-pptx
        dt.datetime(2013, 12, 23, 23, 15, tzinfo=dt.UTC),  # of python-docx
    }
)
"""Dates of templates: a file that carries one was made by a program that set none."""
_NO_TITLES: Final = frozenset(
    {
        *("untitled", "untitled document", "untitled presentation", "document", "document1"),
        *("powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint"),
        *("word document", "microsoft word document", "presentation", "presentation1", "book1"),
    }
)
"""What programs write where nobody wrote a title."""
_PRINTED: Final = re.compile(r"microsoft (?:word|excel|powerpoint) - ", re.IGNORECASE)


def title(stated: str | None) -> str:
    """Return the title that a document's properties state; empty where a program made it up."""
    line = one_line(stated or "")
    line = _PRINTED.sub("", line, count=1)
    return "" if line.casefold() in _NO_TITLES else line


def first(*values: object) -> dt.datetime | None:
    """Return the first of several dates that can be believed, in UTC.

    A date without a zone is taken for UTC: what is wanted is the day.
    """
    return next((found for value in values if (found := _moment(value))), None)


def _moment(value: object) -> dt.datetime | None:
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value.strip()[:40])
        except ValueError:
            return None
    if not isinstance(value, dt.datetime):
        return None
    aware = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    try:
        found = aware.astimezone(dt.UTC)
    except (OverflowError, ValueError):
        return None
    return found if found.year >= _EARLIEST and found not in _TEMPLATES else None
