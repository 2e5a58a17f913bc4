"""Tables as Markdown: each row on a line that can be read, the header above. Pure and lazy."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extraction.names import one_line

_MAX_CELL: Final = 10_000


def lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a sheet: tables with a header and captions between them.

    The first row of several cells is the header. After a blank row, one that is all words begins
    another table; a cell that stands alone outside of a table is a caption.
    """
    state = _OUTSIDE
    margin = 0
    for row in rows:
        cells = _cells(row)
        if not cells:
            state = _AFTER_BLANK if state == _INSIDE else state
            continue
        if state == _AFTER_BLANK:
            state = _OUTSIDE if all(_is_words(cell) for cell in cells) else _INSIDE
        if state == _INSIDE:
            yield _line(_without(cells, margin))
            continue
        margin = next(place for place, cell in enumerate(cells) if cell)
        shown = cells[margin:]
        yield ""
        if len(shown) == 1:
            yield shown[0]
            continue
        state = _INSIDE
        yield _line(shown)
        yield "|" + " --- |" * len(shown)


_OUTSIDE: Final = "outside"
_INSIDE: Final = "inside"
_AFTER_BLANK: Final = "after a blank row"


def _cells(row: Sequence[str]) -> list[str]:
    cells = [_shown(cell) if cell else "" for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _shown(cell: str) -> str:
    # Most cells are short words: they need not be looked at letter by letter.
    line = " ".join(cell.split()) if cell.isprintable() else one_line(cell, _MAX_CELL)
    return line[:_MAX_CELL].replace("|", "\\|")


def _is_words(cell: str) -> bool:
    return not cell or (any(map(str.isalpha, cell)) and not cell[0].isdigit())


def _without(cells: list[str], margin: int) -> list[str]:
    return cells if any(cells[:margin]) else cells[margin:]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
