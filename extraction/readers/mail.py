"""Messages: headers, body and attachments, taken apart within limits. In the parsing process.

Headers are cut before they are parsed (the standard library takes minutes for a hostile one of
1 MB) and read with the older, simpler rules, which do not fail on what real mail holds.
"""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message as Part
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from typing import Final, cast

from bs4.dammit import EncodingDetector

from extraction.errors import ReadRefused
from extraction.names import one_line
from extraction.readers.decoding import decode, normal
from extraction.readers.html import to_markdown
from extraction.readers.limits import too_much
from extraction.readers.parsed import Attachment, Message, Raw
from extraction.readers.people import person
from graphstore.records import Author

_MAX_HEADER: Final = 16 * 1024
_MAX_PARTS: Final = 1_000
_MAX_DEPTH: Final = 50
_MAX_REFERENCES: Final = 100
_MESSAGE_ID: Final = re.compile(r"<([^<>\s]{1,500})>")
_NAME: Final = re.compile(r"[^\W\d_][\w'’.-]{0,40}(?: [^\W\d_][\w'’.-]{0,40}){0,2}")
_SUFFIXES: Final = frozenset(
    [
        "inc",
        "inc.",
        "ltd",
        "ltd.",
        "llc",
        "gmbh",
        "ag",
        "co",
        "co.",
        "corp.",
        "jr",
        "jr.",
        "sr",
        "sr.",
        "phd",
        "md",
    ]
)
_RECIPIENTS: Final = ("To", "Cc")

_Part = Part


class _CutHeaders(Compat32):
    """The policy of old, with headers cut to a length that every parser of them bears."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_MAX_HEADER]


def parse(raw: Raw) -> Message:
    """Take a message apart. `max_characters` limits its body.

    Raises:
        ReadRefused: its parts are nested too deeply.
    """
    try:
        message = BytesParser(policy=_CutHeaders()).parsebytes(raw.data)
    except RecursionError as error:
        raise ReadRefused("failed", "a message with parts nested too deeply") from error
    contents = _Contents()
    contents.collect(message, 0)
    if (size := sum(map(len, contents.bodies))) > raw.max_characters:
        raise too_much(size, raw.max_characters)
    return Message(
        subject=one_line(_header(message, "Subject")),
        body="\n\n".join(filter(None, (body.strip("\n") for body in contents.bodies))),
        senders=_people(message, ("From",)) or _people(message, ("Sender",)),
        recipients=_people(message, _RECIPIENTS),
        message_id=next(iter(_ids(message, "Message-ID")), None),
        in_reply_to=next(iter(_ids(message, "In-Reply-To")), None),
        references=tuple(_ids(message, "References")[:_MAX_REFERENCES]),
        sent_at=_date(message),
        attachments=tuple(contents.attachments),
    )


@dataclass(slots=True)
class _Contents:
    """Bodies and attachments, collected part by part up to the limits."""

    bodies: list[str] = field(default_factory=list[str])
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    parts: int = 0

    def collect(self, part: _Part, depth: int) -> None:
        self.parts += 1
        if self.parts > _MAX_PARTS or depth > _MAX_DEPTH:
            return
        kind = part.get_content_type()
        is_container = part.get_content_maintype() == "multipart"
        if is_container and not part.is_multipart():
            kind = "text/plain"  # its boundary is missing: what there is was written to be read
        if is_container and part.is_multipart():
            children = list(_children(part))
            chosen = _chosen(children) if kind == "multipart/alternative" else children
            for child in chosen:
                self.collect(child, depth + 1)
        elif kind in {"text/plain", "text/html"} and not _is_attachment(part):
            text = _text(part)
            self.bodies.append(to_markdown(text) if kind == "text/html" else _unflowed(part, text))
        else:
            self.attachments.append(Attachment(_filename(part), _bytes(part)))


def _chosen(children: list[_Part]) -> list[_Part]:
    """Return the one alternative that is read: plain text, else the richest, which is the last."""
    plain = [child for child in children if child.get_content_type() == "text/plain"]
    readable = [part for part in plain if _text(part).strip()]
    return readable[:1] or children[-1:]


def _children(part: _Part) -> Iterator[_Part]:
    payload = cast("object", part.get_payload())
    if isinstance(payload, list):
        yield from (p for p in cast("list[object]", payload) if isinstance(p, Part))


def _is_attachment(part: _Part) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _filename(part: _Part) -> str:
    name = _decoded(part.get_filename() or "")
    if not name and part.get_content_type() == "message/rfc822":
        inner = next(_children(part), None)
        name = f"{_header(inner, 'Subject') if inner else ''}.eml"
    return one_line(name)


def _bytes(part: _Part) -> bytes:
    if part.is_multipart():
        inner = next(_children(part), None)
        try:
            return inner.as_bytes() if inner else b""
        except (MessageError, LookupError, ValueError, TypeError, RecursionError):
            return b""  # the standard library cannot write down everything that it can read
    payload = cast("object", part.get_payload(decode=True))
    return payload if isinstance(payload, bytes) else b""


def _unflowed(part: _Part, text: str) -> str:
    """Return a text whose lines end where its writer ended them (RFC 3676), quotes left alone."""
    if _parameter(part, "format") != "flowed":
        return text
    joiner = "" if _parameter(part, "delsp") == "yes" else " "
    lines: list[str] = []
    is_open = False
    for line in text.split("\n"):
        shown = line.removeprefix(" ")  # stuffed, so that it is no quote
        if is_open and not line.startswith(">"):
            lines[-1] += joiner + shown
        else:
            lines.append(shown)
        # A signature's mark ends in a space, too.
        is_open = shown.endswith(" ") and shown != "-- " and not line.startswith(">")
        if is_open:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def _parameter(part: _Part, name: str) -> str:
    try:
        value = part.get_param(name, "")
    except (LookupError, ValueError, IndexError):
        return ""
    return value.lower() if isinstance(value, str) else ""


def _text(part: _Part) -> str:
    data = _bytes(part)
    try:
        declared = part.get_content_charset()
    except (LookupError, ValueError):
        declared = None
    if declared is None and part.get_content_type() == "text/html":
        declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    if declared is None or not declared.startswith(("utf-16", "utf-32")):
        data = data.replace(b"\0", b"")
    return decode(data, declared)


def _header(part: _Part, name: str) -> str:
    return _decoded(next(_values(part, name), ""))


def _values(part: _Part, name: str) -> Iterator[str]:
    # raw_items: `part[name]` would turn 8-bit headers into objects of another type.
    for found, value in part.raw_items():
        if found.lower() == name.lower():
            yield re.sub(r"[\r\n]+[ \t]*", " ", str(value))


def _decoded(value: str) -> str:
    """Return a header's words, whatever they are encoded in; 8-bit ones are text all the same."""
    plain = decode(value.encode("utf-8", "surrogateescape").replace(b"\0", b""))
    if "=?" not in plain:
        return plain
    try:
        pieces = cast("list[tuple[str | bytes, str | None]]", decode_header(plain))
    except (HeaderParseError, ValueError, LookupError):
        return plain
    words = (p if isinstance(p, str) else decode(p.replace(b"\0", b""), c) for p, c in pieces)
    return normal("".join(words))


def _people(message: _Part, names: tuple[str, ...]) -> tuple[Author, ...]:
    values = [value for name in names for value in _values(message, name)]
    try:
        pairs = getaddresses(values)
    except (RecursionError, ValueError, IndexError):
        return ()  # addresses with comments nested without end
    found = (person(_called(_decoded(name)), _decoded(address)) for name, address in pairs)
    return tuple(dict.fromkeys(author for author in found if author))


def _called(name: str) -> str:
    """Return a name as a person says it: `Example, Ada` is Ada Example, a firm stays one."""
    plain = name.strip("\"' ")
    last, comma, first = (part.strip() for part in plain.partition(","))
    is_turned = bool(comma) and all(map(_NAME.fullmatch, (last, first)))
    return f"{first} {last}" if is_turned and first.casefold() not in _SUFFIXES else plain


def _ids(message: _Part, name: str) -> list[str]:
    value = " ".join(_values(message, name))
    return [normal(one_line(found, 500)) for found in _MESSAGE_ID.findall(value)]


def _date(message: _Part) -> dt.datetime | None:
    try:
        sent = parsedate_to_datetime(_header(message, "Date"))
        # `-0000` says that the zone is unknown: the time is UTC.
        return (sent if sent.tzinfo else sent.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
