"""Ignore rules: .gitignore and .garageignore of every folder, with Git's precedence.

The deepest file decides, within it the last matching line; patterns of the source come before
all. An ignore file that is a link, a pipe or larger than 1 MiB is not honoured, and neither is a
pattern with more than three stars between slashes: matching it could take minutes.
"""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

IGNORE_FILES: Final = (".gitignore", ".garageignore")
_MAX_BYTES: Final = 1024 * 1024
_MAX_STARS: Final = 3
_VIA_PARENT: Final = "ps_d"
"""The group by which a pattern of pathspec says that it matched a folder above."""


@dataclass(frozen=True, slots=True)
class Line:
    """One pattern: whether it drops or keeps what it matches, and only folders."""

    pattern: GitIgnoreSpecPattern
    drops: bool
    folders_only: bool

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Say whether the pattern names this very entry.

        Not whether it names a folder above: the walk does not enter such a folder, and when a
        later line kept it, this one has no say in what it holds.
        """
        if self.folders_only and not is_folder:
            return False
        found = self.pattern.match_file(path)
        return found is not None and not found.match.groupdict().get(_VIA_PARENT)


Lines = tuple[Line, ...]
"""Later lines win."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is ignored in one folder and below, as far as the ignore files down to it say."""

    files: tuple[str, ...]
    """Names of the ignore files that are honoured; of two in one folder the later one wins."""
    first: Lines
    """Patterns of the source itself: they win over every file."""
    levels: tuple[tuple[str, Lines], ...] = ()
    """Prefix (`""` or `a/b/`) and rules of each folder that has some, outermost first."""

    def within(self, folder: Path, prefix: str) -> "Rules":
        """Return the rules that hold inside `folder`, whose path below the root is `prefix`."""
        lines = [line for name in self.files for line in _lines_of(folder / name)]
        if not lines:
            return self
        return replace(self, levels=(*self.levels, (prefix, compiled(lines))))

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Say whether the rules drop a path (below the root, POSIX)."""
        for prefix, lines in (("", self.first), *reversed(self.levels)):
            for line in reversed(lines):
                if line.matches(path[len(prefix) :], is_folder=is_folder):
                    return line.drops
        return False


def compiled(lines: Iterable[str]) -> Lines:
    """Return the patterns of some lines; like Git, it passes over lines that are none."""
    return tuple(line for text in lines if _is_cheap(text) and (line := _compiled(text)))


def _compiled(text: str) -> Line | None:
    # Taken apart here, as pathspec reads `x/` as "all below x" and ranks it under `x`.
    bare = text if text.endswith("\\ ") else text.rstrip(" ")
    try:
        pattern = GitIgnoreSpecPattern(bare.removesuffix("/"))
    except GitIgnorePatternError:
        return None
    if pattern.include is None:
        return None
    return Line(pattern, pattern.include, folders_only=bare.endswith("/"))


def _is_cheap(line: str) -> bool:
    segments = line.split("/")
    doubled = sum(segment == "**" for segment in segments)
    # A run of stars is one star to Git, so it counts once.
    starred = max(len(re.findall(r"\*+", segment)) for segment in segments)
    return doubled <= _MAX_STARS and starred <= _MAX_STARS


def _lines_of(file: Path) -> list[str]:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return []
        data = opened.read(_MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    # Names keep undecodable bytes as surrogates, so patterns must, too.
    return [line.removesuffix("\r") for line in os.fsdecode(data).split("\n")]
