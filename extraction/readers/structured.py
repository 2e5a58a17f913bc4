"""JSON and JSON Lines, written so that they can be read and searched. In the parsing process.

A file that is legible stays as it is. One on a single line, or with letters written as `\\u00fc`,
is written again; one that is no valid JSON (comments, a broken end) stays as it is, too.
"""

import json
from collections.abc import Iterator
from typing import Final, cast

from extraction.names import one_line
from extraction.readers.decoding import decode
from extraction.readers.limits import bounded
from extraction.readers.parsed import Parsed, Raw

_LONG_LINE: Final = 500
_MAX_LEGIBLE: Final = 200
"""Characters of a line, on average, up to which a file is legible."""
_TITLES: Final = ("title", "name", "subject")


def parse(raw: Raw) -> Parsed:
    """Return a file of JSON (code: it is configuration mostly) or JSON Lines (data)."""
    text = decode(raw.data)
    if raw.path.lower().endswith((".jsonl", ".ndjson")):
        lines = bounded(map(_record, text.split("\n")), raw.max_characters)
        return Parsed("\n".join(lines), "text")
    value = _value(text)
    if value is not None and not _is_legible(text):
        text = json.dumps(value, ensure_ascii=False, indent=1)
    title = _title(value)
    return Parsed(text, "code", title=title or raw.path, corpus_class="code", language="json")


def _record(line: str) -> str:
    value = _value(line)
    if value is None:
        return line
    written = json.dumps(value, ensure_ascii=False)
    is_long = len(written) > _LONG_LINE
    return json.dumps(value, ensure_ascii=False, indent=1) if is_long else written


def _value(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _is_legible(text: str) -> bool:
    return "\\u" not in text and len(text) <= _MAX_LEGIBLE * (text.count("\n") + 1)


def _title(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    stated = cast("dict[str, object]", value)
    return next(_lines(stated), "")


def _lines(stated: dict[str, object]) -> Iterator[str]:
    for key in _TITLES:
        if isinstance(found := stated.get(key), str) and one_line(found):
            yield one_line(found)
