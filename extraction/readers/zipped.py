"""Zip files of office formats and books: opened only when their parts can do no harm.

Sizes are judged by the directory, before anything is unpacked; reading a part stops at the size
that it declares. Nothing is ever written to disk, and no zip within a zip is opened. A part of XML
that declares a document type is refused: these formats have none, and entities come with them.
"""

import re
import zipfile
from io import BytesIO
from typing import Final

from extraction.errors import ReadRefused

_MIB: Final = 1024 * 1024
_MAX_ENTRIES: Final = 10_000
_MAX_UNPACKED: Final = 512 * _MIB
_MAX_RATIO: Final = 100
_RATIO_FROM: Final = 4 * _MIB
"""Bytes of an entry from which its ratio is looked at: small ones pack well and harm nobody."""
_ENCRYPTED_FLAG: Final = 1
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_PROLOG_BYTES: Final = 64 * 1024
_PROLOG: Final = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ELEMENT: Final = re.compile(rb"<[A-Za-z_]|\Z")
_ENCODING: Final = re.compile(rb"encoding\s{0,9}=\s{0,9}[\"']([^\"']{0,40})")
_ENCODINGS: Final = frozenset({"utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1"})
"""Charsets in which `<!DOCTYPE` cannot hide."""

LOCKED: Final = "encrypted: a password is needed"


def opened(data: bytes) -> zipfile.ZipFile:
    """Return a zip file that is safe to read.

    Raises:
        ReadRefused: it is a bomb, or encrypted; the reason holds limit and actual number.
        BadZipFile: it is no zip file, or broken off.
    """
    if data.startswith(_OLE):
        is_locked = _OLE_ENCRYPTED in data
        old = "of the old binary format, or not what its name says: save it in the new one"
        raise ReadRefused("failed", LOCKED if is_locked else old)
    archive = zipfile.ZipFile(BytesIO(data))
    entries = archive.infolist()
    if len(entries) > _MAX_ENTRIES:
        raise _bomb(f"{len(entries):,} entries, over {_MAX_ENTRIES:,}")
    total = sum(entry.file_size for entry in entries)
    if total > _MAX_UNPACKED:
        raise _bomb(f"{total / _MIB:,.0f} MiB unpacked, over {_MAX_UNPACKED / _MIB:,.0f} MiB")
    if sum(entry.compress_size for entry in entries) > len(data):
        raise _bomb("its entries claim more bytes than the file has")
    for entry in entries:
        if entry.file_size > max(_RATIO_FROM, entry.compress_size * _MAX_RATIO):
            ratio = entry.file_size / max(entry.compress_size, 1)
            raise _bomb(f"an entry unpacks to {ratio:,.0f} times its size, over {_MAX_RATIO}")
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise ReadRefused("failed", LOCKED)
    return archive


def require_plain_xml(archive: zipfile.ZipFile) -> None:
    """Look at the beginning of every part of XML, which libraries parse in ways of their own.

    Raises:
        ReadRefused: one declares a document type, or a charset in which it could hide one.
    """
    for name in archive.namelist():
        if name.lower().endswith((".xml", ".rels", ".vml")):
            with archive.open(name) as part:
                _require_plain(part.read(_PROLOG_BYTES))


def _require_plain(head: bytes) -> None:
    # Without zero bytes UTF-16 reads like ASCII; marks of byte order are no white space.
    text = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff")
    encoding = _ENCODING.search(text[:200]) if text.startswith(b"<?xml") else None
    named = encoding[1].decode("latin-1").lower() if encoding else "utf-8"
    prolog = _PROLOG.match(text)
    place = prolog.end() if prolog else 0
    if named not in _ENCODINGS or not _ELEMENT.match(text, place):
        raise ReadRefused("failed", "a part of XML declares entities, or a charset that hides them")


def _bomb(why: str) -> ReadRefused:
    return ReadRefused("failed", f"a zip bomb: {why}")
