"""Candidates: files that the walk found, and the one way to open them.

What is opened is what was walked: never a link, a pipe, a device, nor another file that took its
place since.
"""

import hashlib
import os
import stat
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from extraction.classes import READER_VERSION, format_of, why_unread
from extraction.errors import ReadRefused, reason_of
from extraction.settings import ReadingSettings
from graphstore.records import OutcomeState, SourceKind

_BLOCK: Final = 1024 * 1024
_MIB: Final = 1024 * 1024
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_2100: Final = 4_102_444_800_000_000
_SPECIAL: Final = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "not a regular file: a named pipe",
    stat.S_IFSOCK: "not a regular file: a socket",
    stat.S_IFCHR: "not a regular file: a device",
    stat.S_IFBLK: "not a regular file: a device",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A regular file that a reader may know."""

    path: str
    """Below the root, POSIX; undecodable bytes of the name as `%XX`."""
    file: Path
    size: int
    mtime: datetime
    stat: str
    """Size, times, reader and limits: equal = the file need not be opened."""
    inode: tuple[int, int]
    """Device and inode: the opened file must be this one."""
    limit: int
    """Bytes that are read at most."""


@dataclass(frozen=True, slots=True)
class Passed:
    """Something that is not read, and why: its outcome."""

    path: str
    """Below the root; that of a folder that cannot be listed ends in `/`."""
    state: OutcomeState
    reason: str
    stat: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A candidate and its bytes."""

    candidate: Candidate
    data: bytes
    sha256: str


def consider(
    path: str, file: Path, status: os.stat_result, kind: SourceKind, settings: ReadingSettings
) -> Candidate | Passed:
    """Return what is to become of one directory entry, by its name and status alone."""
    mark = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{_reading(settings)}"
    if special := _SPECIAL.get(stat.S_IFMT(status.st_mode)):
        return Passed(path, "skipped", special, mark)
    if kind != "maildir" and (reason := why_unread(path)):
        return Passed(path, "skipped", reason, mark)
    limit, setting = _limit(path, kind, settings)
    if status.st_size > limit:
        size = f"{status.st_size / _MIB:,.1f} MiB"
        return Passed(path, "too_large", f"{size}, over {setting} ({limit / _MIB:g} MiB)", mark)
    return Candidate(
        path=path,
        file=file,
        size=status.st_size,
        mtime=_moment(status.st_mtime_ns),
        stat=mark,
        inode=(status.st_dev, status.st_ino),
        limit=limit,
    )


def is_same_reader(mark: str, other: str) -> bool:
    """Say whether two marks were made by readers that make the same of the same bytes."""
    return _reader(mark) == _reader(other)


def load(candidate: Candidate) -> Loaded:
    """Read a candidate's bytes.

    Raises:
        ReadRefused: it vanished, was replaced, changed meanwhile, grew over its limit or may not
            be read.
    """
    # O_NONBLOCK: a pipe that took the file's place must not make the run wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(candidate.file, flags)
    except OSError as error:
        raise ReadRefused("failed", reason_of(error), may_pass=True) from error
    try:
        data = _read_whole(descriptor, candidate)
    except OSError as error:
        raise ReadRefused("failed", reason_of(error), may_pass=True) from error
    finally:
        os.close(descriptor)
    return Loaded(candidate, data, hashlib.sha256(data).hexdigest())


def _read_whole(descriptor: int, candidate: Candidate) -> bytes:
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode) or (before.st_dev, before.st_ino) != candidate.inode:
        raise ReadRefused("failed", "another file took its place after the walk")
    data = bytearray()
    while block := os.read(descriptor, _BLOCK):
        data += block
        if len(data) > candidate.limit:
            size = f"{len(data) / _MIB:,.1f} MiB"
            limit = f"the limit of {candidate.limit / _MIB:g} MiB"
            raise ReadRefused("too_large", f"it grew to at least {size}, over {limit}")
    after = os.fstat(descriptor)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ReadRefused("failed", "it changed while it was read; the next run reads it again")
    return bytes(data)


def _reading(settings: ReadingSettings) -> str:
    """Return what is made of bytes, and up to which limits: a change of either shows in it."""
    makes = (settings.self_identities, settings.self_names, settings.max_attachments)
    limits = (
        *(settings.max_file_bytes, settings.max_mailbox_bytes, settings.max_text_characters),
        *(settings.parse_timeout_s, settings.parse_memory_mb),
    )
    maker, limit = (zlib.crc32(repr(each).encode()) for each in (makes, limits))
    return f"r{READER_VERSION}.{maker:08x}:l{limit:08x}"


def _reader(mark: str) -> str:
    return next((part for part in mark.split(":") if part.startswith("r")), "")


def _limit(path: str, kind: SourceKind, settings: ReadingSettings) -> tuple[int, str]:
    if kind == "mbox" or (kind != "maildir" and format_of(path) == "mbox"):
        return settings.max_mailbox_bytes, "max_mailbox_bytes"
    return settings.max_file_bytes, "max_file_bytes"


def _moment(mtime_ns: int) -> datetime:
    # Some file systems deliver times outside the years 1 to 9999.
    return _EPOCH + timedelta(microseconds=min(max(mtime_ns // 1000, 0), _YEAR_2100))
