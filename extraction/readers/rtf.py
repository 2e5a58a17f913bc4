"""RTF to text, title, author and date. Runs in the parsing process."""

import datetime as dt
import importlib
import re
from collections.abc import Callable
from typing import Any, Final, cast

from extraction.errors import ReadRefused
from extraction.readers import properties
from extraction.readers.limits import bounded
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people
from extraction.readers.text import first_line

_INFO_BYTES: Final = 64 * 1024
_CODEPAGE: Final = re.compile(r"\\ansicpg(\d{3,5})")
_MOMENT: Final = re.compile(
    r"\\(?P<kind>revtim|creatim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2}))?(?:\\min(\d{1,2}))?"
)


def parse(raw: Raw) -> Parsed:
    """Return the text of an RTF file.

    Raises:
        ReadRefused: it is none, or there is more text than the limit.
    """
    if not raw.data.lstrip().startswith(b"{\\rt"):
        raise ReadRefused("failed", "damaged, or not what its name says: no RTF")
    source = _decoded(raw.data)
    text = _plain(source)
    list(bounded([text], raw.max_characters))
    head = source[:_INFO_BYTES]
    return Parsed(
        text.strip("\n"),
        "text",
        title=properties.title(_stated(head, "title")) or first_line(text),
        authors=people(_stated(head, "author")),
        modified_at=properties.first(_moment(head, "revtim"), _moment(head, "creatim")),
    )


def _plain(source: str) -> str:
    # Imported by name: the library has no types.
    module: Any = importlib.import_module("striprtf.striprtf")
    return cast("Callable[..., str]", module.rtf_to_text)(source, errors="replace")


def _decoded(data: bytes) -> str:
    # The format is ASCII with escapes; programs that write 8-bit text state its code page.
    head = data[:1000].decode("latin-1")
    page = _CODEPAGE.search(head)
    try:
        return data.decode(f"cp{page[1]}" if page else "cp1252", "replace")
    except LookupError:
        return data.decode("cp1252", "replace")


def _stated(head: str, name: str) -> str:
    found = re.search(rf"\{{\\{name}[ \n]([^{{}}]{{0,1000}})\}}", head)
    return _plain(f"{{\\rtf1 {found[1]}}}").strip() if found else ""


def _moment(head: str, kind: str) -> dt.datetime | None:
    for found in _MOMENT.finditer(head):
        if found["kind"] == kind:
            year, month, day, hour, minute = (int(number or 0) for number in found.groups()[1:])
            try:
                return dt.datetime(year, month, day, hour, minute, tzinfo=dt.UTC)
            except ValueError:
                return None
    return None
