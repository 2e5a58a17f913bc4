"""Maildir: messages in `cur` and `new` of a folder and its sub-folders.

A message's path is its unique name below its folder: it stays the same when the message is read,
answered or moved from `new` to `cur`. `tmp` is not read.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from extraction.candidates import Candidate, Passed, consider
from extraction.errors import reason_of
from extraction.folders import list_folder
from extraction.names import visible
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput, Unavailable

_SHELVES: Final = ("cur", "new")
_RESERVED: Final = frozenset({"cur", "new", "tmp"})
_FLAGS: Final = re.compile(r"[:;!]2,[A-Za-z]*$")

_Listing = list[tuple[str, os.stat_result]]


def walk(root: Path, settings: ReadingSettings) -> Iterator[Candidate | Passed]:
    """Yield the messages of a maildir, folder by folder, in bytewise order.

    Raises:
        InvalidInput: there is neither `cur` nor `new` in the root nor in a folder of it.
    """
    pending = [("", root.lstat())]
    messages = False
    while pending:
        path, seen = pending.pop()
        try:
            listed = list_folder(root / path, seen)
        except OSError as error:
            if not path:
                message = f"The maildir cannot be listed: {reason_of(error)}."
                raise Unavailable(message, hint="Nothing was removed.") from error
            yield Passed(f"{visible(path)}/", "failed", f"folder: {reason_of(error)}")
            continue
        folders = [(n, s) for n, s in listed if stat.S_ISDIR(s.st_mode)]
        shelves = {name: status for name, status in folders if name in _SHELVES}
        messages = messages or bool(shelves)
        yield from _folder(root, path, shelves, settings)
        below = [(f"{path}/{n}".lstrip("/"), s) for n, s in folders if n not in _RESERVED]
        pending += sorted(below, key=lambda item: os.fsencode(item[0]), reverse=True)
    if not messages:
        message = f"There is no maildir in {root}: neither 'cur' nor 'new'."
        raise InvalidInput(message, hint="Name the folder that holds 'cur', 'new' and 'tmp'.")


def find(root: Path, path: str) -> Path | None:
    """Return the file of the message with this path, wherever it is by now; None = nowhere.

    Raises:
        OSError: its folder cannot be listed.
    """
    folder, _, unique = path.rpartition("/")
    for shelf in _SHELVES:
        place = root / folder / shelf
        for file in place.iterdir() if place.is_dir() else ():
            if _FLAGS.sub("", file.name) == unique:
                return file
    return None


def _folder(
    root: Path, path: str, shelves: dict[str, os.stat_result], settings: ReadingSettings
) -> Iterator[Candidate | Passed]:
    prefix = f"{path}/" if path else ""
    found: dict[str, tuple[Path, os.stat_result]] = {}
    for shelf in _SHELVES:
        if shelf not in shelves:
            continue
        try:
            listed: _Listing = list_folder(root / path / shelf, shelves[shelf])
        except OSError as error:
            yield Passed(f"{visible(prefix)}{shelf}/", "failed", f"folder: {reason_of(error)}")
            continue
        for name, status in listed:
            if not name.startswith(".") and not stat.S_ISDIR(status.st_mode):
                # A message on its way from new to cur may be seen twice: cur is listed first.
                found.setdefault(_FLAGS.sub("", name), (root / path / shelf / name, status))
    for unique in sorted(found, key=os.fsencode):
        file, status = found[unique]
        yield consider(visible(prefix + unique), file, status, "maildir", settings)
