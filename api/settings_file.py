"""The settings file: strict JSON, with errors that name the line. A key stands there once."""

import json
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from graphstore.errors import InvalidInput

_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Broken(InvalidInput):
    """The file as a whole says nothing: it is not there, not JSON, or says a thing twice."""

    def __init__(self, place: str, what: str, hint: str) -> None:
        super().__init__(f"{place}: {what}", hint=hint)
        self.place = place
        """The file, with the line where one is to blame."""
        self.what = what


@dataclass(frozen=True, slots=True)
class Content:
    """What a file says, and on which line it says it."""

    path: Path
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    """With `$schema`, when it is there."""
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    """JSON pointer → the line that the value begins on."""

    def place(self, pointer: str) -> str:
        """Return `file:line` of a value, or of the nearest one around it."""
        while pointer and pointer not in self.lines:
            pointer = pointer.rpartition("/")[0]
        return f"{self.path}:{self.lines.get(pointer, 1)}"


def read(path: Path, *, is_named: bool) -> Content:
    """Return what the file says; nothing when it is missing and not named.

    Raises:
        Broken: it cannot be read, or is not one JSON object with each key once.
    """
    place = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        if is_named:
            hint = "Name the file that you mean; 'garage config set' makes one."
            raise Broken(place, "There is no settings file.", hint) from error
        return Content(path)
    except IsADirectoryError as error:
        raise Broken(place, "It is a folder.", "Name the settings file in it.") from error
    except OSError as error:
        what = f"It cannot be read: {error.strerror}."
        raise Broken(place, what, "Check its permissions, and those of its folder.") from error
    except UnicodeDecodeError as error:
        what = f"Byte {error.start + 1} is no UTF-8."
        raise Broken(place, what, "Save it again as UTF-8, in an editor.") from error
    if not text.strip():
        raise Broken(place, "It is empty.", "Write {} into it, or remove it.")
    return parse(path, text)


def parse(path: Path, text: str) -> Content:
    """Return what a text says that was read from `path`.

    Raises:
        Broken: it is not one JSON object with each key once; its place names the line.
    """
    try:
        content: object = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        what = f"{error.msg} (column {error.colno})."
        hint = "The file is JSON: no comments, no comma after the last entry."
        raise Broken(f"{path}:{error.lineno}", what, hint) from error
    except RecursionError as error:
        raise Broken(
            str(path), "It is nested too deep.", "Settings are two levels deep."
        ) from error
    except ValueError as error:
        raise Broken(str(path), str(error), "Write a number, or null.") from error
    if not isinstance(content, dict):
        what = "It holds a list, a text or a number, and no table of settings."
        raise Broken(str(path), what, 'Write it as in {"search": {"limit": 20}}.')
    lines: dict[str, int] = {}
    for pointer, line in _located(text):
        if pointer in lines:
            name = pointer.rpartition("/")[2]
            what = f'"{name}" stands there twice, first on line {lines[pointer]}.'
            raise Broken(f"{path}:{line}", what, "Keep one of the two.")
        lines[pointer] = line
    return Content(path, cast("dict[str, Any]", content), lines)


def below(pointer: str, key: str) -> str:
    """Return the JSON pointer of a key of what `pointer` points to."""
    return f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"


def _located(text: str) -> Generator[tuple[str, int]]:
    """Yield (pointer, line) of every value of a text that is JSON."""
    pieces = _PIECE.finditer(text)
    line, seen = 1, 0
    # One entry for each open array or object: its pointer, and the next index or None.
    around: list[tuple[str, int | None]] = []
    key = ""
    pending: str | None = None
    for match in pieces:
        piece = match[0]
        line, seen = line + text.count("\n", seen, match.start()), match.start()
        if piece in {"}", "]"}:
            around.pop()
        elif piece == ":":
            key, pending = cast("str", pending), None
        elif piece == ",":
            continue
        elif around and around[-1][1] is None and not key and pending is None:
            pending = below("", json.loads(piece))
        else:
            pointer, key = _below(around, key), ""
            yield pointer, line
            if piece in {"{", "["}:
                around.append((pointer, 0 if piece == "[" else None))


def _below(around: list[tuple[str, int | None]], key: str) -> str:
    """Return the pointer of the next value, and count it when it is one of an array."""
    if not around:
        return ""
    pointer, index = around[-1]
    if index is None:
        return pointer + key
    around[-1] = (pointer, index + 1)
    return f"{pointer}/{index}"


def _no_constant(name: str) -> None:
    message = f"{name} is no number."
    raise ValueError(message)
