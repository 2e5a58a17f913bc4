"""Decoding: bytes to text. Any bytes give text, or are refused as binary."""

import codecs
from typing import Final

from charset_normalizer import from_bytes

from extraction.errors import ReadRefused

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_CHARSETS: Final = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""Codecs that a message may name but that are no charset; some take quadratic time."""
_MEANT: Final = {
    **dict.fromkeys(
        ("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1"), "cp1252"
    ),
    **dict.fromkeys(("gb2312", "gbk", "gb-2312-80", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift-jis", "sjis", "x-sjis"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks-c-5601-1987", "ksc5601"), "cp949"),
    **dict.fromkeys(("iso-8859-8-i", "iso-8859-8-e"), "iso-8859-8"),
    **dict.fromkeys(("x-mac-roman", "macintosh"), "mac-roman"),
    **dict.fromkeys(("iso-8859-9",), "cp1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
    "big5": "big5hkscs",
}
"""What programs write when they state a charset: the larger one that contains it."""
_SAMPLE_BYTES: Final = 256 * 1024
_MIN_VALID_PER_BAD: Final = 50
_MIN_TO_GUESS: Final = 8
_SURROGATES: Final = dict.fromkeys(range(55296, 57344), 65533)


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the text of some bytes, line ends as `\\n`, lone surrogates as U+FFFD.

    A byte order mark decides, then the `declared` charset, then UTF-8, then a guess.

    Raises:
        ReadRefused: a zero byte says that this is no text.
    """
    for mark, charset in _BOMS:
        if data.startswith(mark):
            return normal(data[len(mark) :].decode(charset, "replace"))
    if b"\0" in data:
        raise ReadRefused("skipped", "binary: it holds zero bytes")
    text = _declared(data, declared)
    return normal(_detected(data) if text is None else text)


def normal(text: str) -> str:
    """Return text with line ends as `\\n` and without lone surrogates or zero characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines.translate(_SURROGATES).replace("\0", "�")


def _declared(data: bytes, charset: str | None) -> str | None:
    name = (charset or "").lower().replace("_", "-").strip()
    if not name or name in _NOT_CHARSETS:
        return None
    for tried in (_MEANT.get(name, name), name):
        try:
            return data.decode(tried)
        except (LookupError, ValueError):
            continue
    return None


def _detected(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        damaged = data.decode("utf-8", "replace")
    bad = damaged.count("�")
    valid = sum(c > "\x7f" for c in damaged) - bad
    if bad * _MIN_VALID_PER_BAD < valid:
        return damaged  # UTF-8 with a few broken bytes, not another charset
    if len(data) - sum(map(data.count, range(128))) < _MIN_TO_GUESS:
        return data.decode("cp1252", "replace")  # too little to guess from: the usual one
    best = from_bytes(data[:_SAMPLE_BYTES]).best()
    return data.decode(best.encoding if best else "latin-1", "replace")
