"""Mbox: one file, many messages, cut apart lazily at its `From ` lines."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.errors import ReadRefused

_FROM: Final = re.compile(rb"^From [^\n]{0,200}\d\d:\d\d[^\n]{0,80}$", re.MULTILINE)
_QUOTED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_BLANK: Final = (b"\n\n", b"\n\r\n")


def split(data: bytes) -> Iterator[bytes]:
    """Yield the messages of an mbox file, without their `From ` lines.

    Raises:
        ReadRefused: the file does not begin with such a line.
    """
    if not data.strip():
        raise ReadRefused("skipped", "empty")
    if not _FROM.match(data):
        raise ReadRefused("skipped", "not a mailbox: it does not begin with a 'From ' line")
    begin = 0
    for line in _FROM.finditer(data):
        # Only after a blank line: a body may well hold a line that looks like one.
        before = data[max(line.start() - 3, 0) : line.start()]
        if line.start() == 0:
            begin = line.end() + 1
        elif before.endswith(_BLANK):
            yield _unquoted(data[begin : line.start()])
            begin = line.end() + 1
    yield _unquoted(data[begin:])


def _unquoted(message: bytes) -> bytes:
    return _QUOTED.sub(rb"\1", message)
