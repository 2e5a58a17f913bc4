"""Names: paths as text that UTF-8 accepts, uris, and titles made from file names.

Two different files never get the same path or uri; a name from a message is never used as a path.
"""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Final

from graphstore.records import Source

_MAX_PART_NAME: Final = 120
_LOOKS_ESCAPED: Final = re.compile(r"%(?=2[35]|[89A-F][0-9A-F])")
_ESCAPED: Final = re.compile("%(25|[89A-F][0-9A-F])")
_UNDECODABLE: Final = re.compile("[\udc80-\udcff]")
_UNSAFE_IN_PART: Final = re.compile(r"[^\w.@+ -]+")


def visible(path: str) -> str:
    """Return a path with undecodable bytes written as `%XX`, so that it is valid Unicode.

    A literal `%` that could be taken for such an escape becomes `%25`: no two paths meet.
    """
    escaped = _LOOKS_ESCAPED.sub("%25", path)
    return _UNDECODABLE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", escaped)


def on_disk(path: str) -> str:
    """Return the path that `visible` made valid Unicode, as the file system knows it."""
    return _ESCAPED.sub(_unescaped, path)


def _unescaped(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return chr(byte if byte < 0x80 else 0xDC00 + byte)


def uri_of(source: Source, path: str, file_sha256: str) -> str:
    """Return the uri of a file; `#` in its path becomes `%23`, as `#` begins a part."""
    if source.kind == "inbox":
        return f"inbox://{file_sha256}"
    return f"{source.slug}:{path.replace('#', '%23')}"


def part_name(number: int, name: str) -> str:
    """Return the part of a uri for an attachment: `<n>-<clean name>`, without separators."""
    flat = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    clean = _UNSAFE_IN_PART.sub("_", flat).strip(" ._")
    return f"{number}-{clean[-_MAX_PART_NAME:] or 'attachment'}"


def readable_stem(path: str) -> str:
    """Return a title made from a file name: `2024-05_trip-notes.md` → `2024-05 trip notes`."""
    stem = PurePosixPath(path).stem or path
    words = re.sub(r"(?<!\d)[-_]+|[-_]+(?!\d)|_+", " ", stem)
    return " ".join(words.split()) or stem


def one_line(text: str, limit: int = 300) -> str:
    """Return text on one line, cut to `limit` characters: for titles and names."""
    printable = "".join(c if c.isprintable() else " " for c in text[: limit * 8])
    return " ".join(printable.split())[:limit].rstrip()
