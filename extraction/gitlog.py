"""Git: tracked files, who wrote them, and when. Reads a repository that may be hostile.

Nothing that a repository's configuration or attributes name is executed, no connection is opened,
and every call ends in bounded time.
"""

import os
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from extraction.names import visible
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput, Unavailable
from graphstore.records import Author

_HARDENED: Final = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.untrackedCache", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("mailmap.file", os.devnull),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
)
"""Configuration that wins over the repository's: each of these keys could run a program."""

_LOG: Final = (
    *("log", "-z", "--name-only", "--relative", "--no-merges", "--no-renames", "--no-notes"),
    *("--use-mailmap", "--no-show-signature", "--no-ext-diff", "--no-textconv"),
    "--ignore-submodules=all",
)
_COMMIT: Final = b"\x1e"
_FIELD: Final = b"\x1f"
_FIELDS: Final = 2
"""Marks between the fields of a commit."""
_BLOCK: Final = 1024 * 1024
_YEAR_2100: Final = 4_102_444_800
_MAX_NAME_BYTES: Final = 64 * 1024
_MAX_AUTHORS: Final = 20
"""Authors of one file that are kept, those with the most commits."""


def tracked_files(root: Path, settings: ReadingSettings) -> list[str]:
    """Return the tracked paths below a folder of a work tree, in bytewise order, each once.

    Raises:
        InvalidInput: the folder is in no work tree, or belongs to another user.
        Unavailable: Git is not installed, or did not end in time.
    """
    with _git(root, ["ls-files", "-z", "--cached"], settings) as (process, stopped):
        names = {name for name in _records(_output(process)) if name}
    if stopped.is_set():
        message = f"Git did not list the files of {root} in {settings.git_timeout_s:g} s."
        raise Unavailable(message, hint="Raise git_timeout_s; nothing was removed.")
    if process.returncode:
        message = f"{root} is not a Git work tree that you own."
        hint = "Name a folder of a work tree owned by the user that runs Garage, or use kind "
        raise InvalidInput(message, hint=f"{hint}'filesystem'.")
    return [os.fsdecode(name) for name in sorted(names)]


@dataclass(frozen=True, slots=True)
class Written:
    """Who wrote a file, those with the most commits first, and when it was committed last."""

    authors: tuple[Author, ...]
    at: datetime | None
    """None where the commit's date is absurd."""


def history(root: Path, settings: ReadingSettings) -> Mapping[str, Written]:
    """Return who wrote each file, and when; keys are the walk's paths.

    Reads the history once, newest first, mailmap honoured, without merges. When the time is over,
    or there is no history, what was read until then is returned: authorship is a help, no gate.
    """
    counts: dict[bytes, Counter[tuple[bytes, bytes]]] = {}
    last: dict[bytes, bytes] = {}
    arguments = [*_LOG, "--format=%x1e%aN%x1f%aE%x1f%ct", "--", "."]
    with _git(root, arguments, settings) as (process, _):
        person, date = (b"", b""), b""
        for record in _records(_output(process)):
            # After a commit's line, Git puts a line feed before the first of its names.
            name = record.removeprefix(b"\n")
            if name.startswith(_COMMIT) and name.count(_FIELD) >= _FIELDS:
                *found, address, date = name[1:].split(_FIELD)
                person = (_FIELD.join(found), address)
            elif name:
                counts.setdefault(name, Counter())[person] += 1
                last.setdefault(name, date)  # newest first
    return {
        visible(os.fsdecode(name)): Written(_ranked(counter), _moment(last[name]))
        for name, counter in counts.items()
    }


def _ranked(counter: Counter[tuple[bytes, bytes]]) -> tuple[Author, ...]:
    # Equal counts in the order of the history, newest first: Counter keeps it.
    return tuple(_author(*person) for person, _ in counter.most_common(_MAX_AUTHORS))


def _moment(seconds: bytes) -> datetime | None:
    is_sane = seconds.isdigit() and int(seconds) < _YEAR_2100
    return datetime.fromtimestamp(int(seconds), UTC) if is_sane else None


def _author(name: bytes, address: bytes) -> Author:
    email = address.decode("utf-8", "replace").strip().casefold()
    shown = " ".join(name.decode("utf-8", "replace").split())
    return Author(shown or email, f"email:{email}" if "@" in email else None)


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:  # for the type checker: it is a pipe
        raise ValueError
    return process.stdout


def _records(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while block := stream.read1(_BLOCK):  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] - a pipe is a BufferedReader
        *whole, rest = (rest + bytes(block)).split(b"\0")  # pyright: ignore[reportUnknownArgumentType] - as above
        yield from whole
        if len(rest) > _MAX_NAME_BYTES:
            return
    yield rest


@contextmanager
def _git(
    root: Path, arguments: list[str], settings: ReadingSettings
) -> Generator[tuple[subprocess.Popen[bytes], threading.Event]]:
    program = shutil.which("git")
    if program is None:
        raise Unavailable("Git is not installed.", hint="Install it, or use kind 'filesystem'.")
    options = [part for key, value in _HARDENED for part in ("-c", f"{key}={value}")]
    process = subprocess.Popen(
        [program, "--no-pager", *options, *arguments],
        cwd=root,
        env=_environment(program),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        process.kill()

    timer = threading.Timer(settings.git_timeout_s, stop)
    timer.daemon = True
    timer.start()
    try:
        # Leaving the process closes its pipe: Git ends when nobody reads it any more.
        with process:
            yield process, stopped
    finally:
        timer.cancel()


def _environment(program: str) -> dict[str, str]:
    # Built from nothing: a variable of the caller could name a program as well as a file can.
    return {
        "PATH": f"{Path(program).parent}{os.pathsep}{os.defpath}",
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "",
    }
