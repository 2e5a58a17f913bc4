"""Progress: a bar on a terminal, a line every few seconds anywhere else; always standard error."""

import sys
import time
from types import TracebackType
from typing import Final

from api.cli.output import cell_width, say
from api.visible import safe_line

_EVERY_S: Final = 5.0
_DRAW_EVERY_S: Final = 0.05


class Progress:
    """Shows how far something is."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._next_line = time.monotonic() + _EVERY_S
        self._is_terminal = sys.stderr.isatty()
        self._is_drawn = False
        self._next_draw = 0.0
        self._said = self._unsaid = ""

    def __enter__(self) -> "Progress":
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave a clean line behind; elsewhere, the last thing that there was to say."""
        if self._is_drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        if self._unsaid:
            say(self._unsaid)

    def show(self, done: int, total: int, detail: str = "") -> None:
        """Show that `done` of `total` are done, and what is being done now."""
        if self._is_terminal and (done == total or time.monotonic() >= self._next_draw):
            self._next_draw = time.monotonic() + _DRAW_EVERY_S
            self._draw(done, total, detail)
        elif not self._is_terminal:
            self._line(f"{self._what}: {done:,} of {total:,}")

    def tell(self, message: str) -> None:
        """Show a message in the bar's place; elsewhere as a line every few seconds."""
        if self._is_terminal:
            self._put(f"{self._what}: {safe_line(message)}")
        else:
            self._line(f"{self._what}: {message}")

    def _line(self, text: str) -> None:
        """Say a line when the last one is long enough ago, else keep it for the end."""
        if text == self._said:
            self._unsaid = ""
            return
        if time.monotonic() < self._next_line:
            self._unsaid = text
            return
        self._next_line = time.monotonic() + _EVERY_S
        self._said, self._unsaid = text, ""
        say(text)

    def _draw(self, done: int, total: int, detail: str) -> None:
        filled = 20 * done // total if total else 20
        bar = "█" * filled + "░" * (20 - filled)
        self._put(f"{self._what} {bar} {done:,}/{total:,}  {safe_line(detail)}")

    def _put(self, text: str) -> None:
        from shutil import get_terminal_size

        room = get_terminal_size().columns - 1
        while cell_width(text) > room:
            text = text[:-1]
        self._is_drawn = True
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
