"""Columns: what the cells of a table are called, for the rows far below its header. Pure."""

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MAX_HEADER: Final = 500
"""Characters of a header that are kept."""
_RULE: Final = frozenset("|:- \t")
"""What the line between a header and its rows is made of."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one text, in order; the three columns have equal length."""

    starts: tuple[int, ...] = ()
    """Where the first row below each header begins."""
    ends: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()

    def header_at(self, offset: int) -> str:
        """Return the header of the table in whose rows `offset` lies, or an empty string."""
        index = bisect.bisect_right(self.starts, offset) - 1
        return self.headers[index] if index >= 0 and offset < self.ends[index] else ""


def tables(markdown: str) -> Tables:
    """Return the tables of a Markdown text."""
    if "---" not in markdown or "|" not in markdown:
        return Tables()
    found = list(_found(markdown))
    return Tables(
        tuple(start for start, _, _ in found),
        tuple(end for _, end, _ in found),
        tuple(header for _, _, header in found),
    )


def _found(markdown: str) -> Iterator[tuple[int, int, str]]:
    place = start = 0
    header, before = "", ""
    for line in markdown.splitlines(keepends=True):
        if header and not line.lstrip().startswith("|"):
            yield start, place, header
            header = ""
        place += len(line)
        if not header and before.startswith("|") and _is_rule(line):
            header, start = _named(before), place
        before = line.lstrip()
    if header:
        yield start, place, header


def _is_rule(line: str) -> bool:
    return "---" in line and "|" in line and _RULE.issuperset(line.strip())


def _named(line: str) -> str:
    cells = (cell.strip() for cell in line.replace("\\|", "/").strip().strip("|").split("|"))
    return " | ".join(cell for cell in cells if cell)[:_MAX_HEADER]
