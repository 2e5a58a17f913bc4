"""Output: data to standard output, everything else to standard error.

Stored text is quoted data: its control characters never reach a terminal raw.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import Any, Final, TextIO

from api.cli.session import Session
from api.visible import UNSAFE, safe, safe_line

_GAP: Final = 2
_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


def print_json(value: Any) -> None:
    """Print data as JSON. Exact: what is escaped here, a JSON reader restores."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    print(UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def print_text(text: str) -> None:
    """Print text as data."""
    print(safe(text))


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], session: Session, *, empty: str = ""
) -> None:
    """Print rows as columns; on a terminal the widest column gives way so that lines fit.

    Where there are no rows, `empty` is told instead of a lone header.
    """
    cells = [[safe_line("" if value is None else str(value)) for value in row] for row in rows]
    if empty and not cells:
        say(empty)
        return
    lines = [list(headers), *cells]
    widths = [max(cell_width(line[column]) for line in lines) for column in range(len(headers))]
    if sys.stdout.isatty():
        room = get_terminal_size().columns - _GAP * (len(widths) - 1)
        while sum(widths) > room and max(widths) > 8:
            widths[widths.index(max(widths))] -= 1
    for number, line in enumerate(lines):
        padded = [_fit(cell, width) for cell, width in zip(line, widths, strict=True)]
        text = (" " * _GAP).join(padded).rstrip()
        print(style(text, "bold", session) if number == 0 else text)


def style(text: str, name: str, session: Session, stream: TextIO | None = None) -> str:
    """Return text in a style when it goes to a terminal whose user did not set NO_COLOR."""
    target = stream or sys.stdout
    if not target.isatty() or session.environment.get("NO_COLOR"):
        return text
    return f"\x1b[{_STYLES[name]}m{text}\x1b[0m"


def say(message: str) -> None:
    """Tell the person something that is not data."""
    print(safe(message), file=sys.stderr, flush=True)


def cell_width(text: str) -> int:
    """Return how many columns a terminal needs for a text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # 40 ms that plain text never pays

    return cell_len(text)


def _fit(text: str, width: int) -> str:
    missing = width - cell_width(text)
    if missing >= 0:
        return text + " " * missing
    while cell_width(text) > width - 1:
        text = text[:-1]
    return f"{text}…" + " " * (width - 1 - cell_width(text))
