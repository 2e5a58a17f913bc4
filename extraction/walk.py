"""The walk: what there is to read below a source's root, in bytewise order of paths.

Links are never followed and nothing but a folder is opened, so that no walk leaves its root,
loops or hangs. What is not read is named with its reason; ignored and hidden files are not.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from extraction import gitlog, ignore_rules, maildir, memory_files
from extraction.candidates import Candidate, Loaded, Passed, consider, load
from extraction.classes import PRUNED_FOLDERS
from extraction.errors import reason_of
from extraction.folders import list_folder
from extraction.ignore_rules import Rules
from extraction.names import visible
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput, NotFound, Unavailable
from graphstore.records import Source, SourceKind

__all__ = ["Candidate", "Loaded", "Passed", "load", "walk"]

_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})

_Found = Iterator[Candidate | Passed]


def walk(source: Source, settings: ReadingSettings) -> _Found:
    """Yield what lies below a source's root: candidates to load, and what is passed over.

    Raises:
        NotFound: the root is missing.
        InvalidInput: the root is not what the kind of source needs.
        Unavailable: the root cannot be listed; nothing is known about what is in it.
    """
    try:
        root = Path(source.root).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        message = f"The root of source '{source.slug}' is not there: {source.root}."
        hint = "Mount or restore it, or change the source's root; nothing was removed."
        raise NotFound(message, hint=hint) from error
    if not root.is_dir() and source.kind != "mbox":
        message = f"The root of source '{source.slug}' is not a folder: {source.root}."
        raise InvalidInput(message, hint="Name the folder that holds the files.")
    return _WALKS[source.kind](root, source, settings)


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    status: os.stat_result
    rules: Rules

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)


def _tree(root: Path, source: Source, settings: ReadingSettings) -> _Found:
    rules = Rules(ignore_rules.IGNORE_FILES, ignore_rules.compiled(source.ignore))
    return _below(root, source, settings, _Choice(rules, _is_dropped))


def _memories(root: Path, source: Source, settings: ReadingSettings) -> _Found:
    # What is said to an assistant alone is often kept out of Git: .gitignore does not apply.
    rules = Rules((".garageignore",), ignore_rules.compiled(source.ignore))

    def is_no_memory(entry: _Entry) -> bool:
        name = entry.path.rsplit("/", 1)[-1]
        if entry.is_folder:
            is_passed = memory_files.is_pruned(name)
        else:
            is_passed = memory_files.tag_of(entry.path, root.name, source.patterns) is None
        return is_passed or entry.rules.ignores(entry.path, is_folder=entry.is_folder)

    return _below(root, source, settings, _Choice(rules, is_no_memory))


@dataclass(frozen=True, slots=True)
class _Choice:
    """What of a tree is looked at."""

    rules: Rules
    is_dropped: Callable[[_Entry], bool]


def _below(root: Path, source: Source, settings: ReadingSettings, choice: _Choice) -> _Found:
    try:
        pending = _entries(root, _Entry("", root.lstat(), choice.rules), choice)
    except OSError as error:
        message = f"The root of source '{source.slug}' cannot be listed: {reason_of(error)}."
        hint = "Check its permissions and its disk; nothing was removed."
        raise Unavailable(message, hint=hint) from error
    # A stack instead of recursion: a folder may be thousands of levels deep.
    while pending:
        entry = pending.pop()
        if not entry.is_folder:
            file = root / entry.path
            yield consider(visible(entry.path), file, entry.status, source.kind, settings)
            continue
        try:
            pending += _entries(root, entry, choice)
        except OSError as error:
            yield Passed(f"{visible(entry.path)}/", "failed", f"folder: {reason_of(error)}")


def _entries(root: Path, folder: _Entry, choice: _Choice) -> list[_Entry]:
    """Return what is in a folder and not ignored, in reverse order: the next one is last."""
    prefix = f"{folder.path}/" if folder.path else ""
    listed = list_folder(root / folder.path, folder.status)
    rules = folder.rules.within(root / folder.path, prefix)
    entries = [_Entry(prefix + name, status, rules) for name, status in listed]
    kept = [entry for entry in entries if not choice.is_dropped(entry)]
    # Folders sort as if their name ended in a slash: then whole paths are in bytewise order.
    kept.sort(key=lambda e: os.fsencode(e.path + "/" * e.is_folder), reverse=True)
    return kept


def _is_dropped(entry: _Entry) -> bool:
    name = entry.path.rsplit("/", 1)[-1]
    if name.startswith(".") or (entry.is_folder and name.lower() in PRUNED_FOLDERS):
        return True
    return entry.rules.ignores(entry.path, is_folder=entry.is_folder)


def _tracked(root: Path, source: Source, settings: ReadingSettings) -> _Found:
    # What Git tracks was chosen by someone: .gitignore and the table of folders do not apply.
    rules = Rules((".garageignore",), ignore_rules.compiled(source.ignore))
    folders: dict[str, Rules | None] = {"": rules.within(root, "")}
    for path in gitlog.tracked_files(root, settings):
        within = _rules_at(root, path.rpartition("/")[0], folders)
        if within is None or path.rpartition("/")[2].startswith(".") or within.ignores(path):
            continue
        try:
            status = (root / path).lstat()
        except OSError as error:
            if error.errno not in _GONE:
                yield Passed(visible(path), "failed", reason_of(error))
            continue
        if not stat.S_ISDIR(status.st_mode):  # a folder is a submodule
            yield consider(visible(path), root / path, status, source.kind, settings)


def _rules_at(root: Path, folder: str, known: dict[str, Rules | None]) -> Rules | None:
    """Return the rules inside a folder; None when it is hidden, ignored or not a real folder."""
    unknown: list[str] = []
    above = folder
    while above not in known:
        unknown.append(above)
        above = above.rpartition("/")[0]
    for below in reversed(unknown):
        known[below] = _inside(root, below, known[above])
        above = below
    return known[folder]


def _inside(root: Path, folder: str, above: Rules | None) -> Rules | None:
    is_hidden = folder.rpartition("/")[2].startswith(".")
    if above is None or is_hidden or above.ignores(folder, is_folder=True):
        return None
    return above.within(root / folder, f"{folder}/") if _is_real_folder(root / folder) else None


def _is_real_folder(folder: Path) -> bool:
    try:
        return stat.S_ISDIR(folder.lstat().st_mode)
    except OSError:
        return False


def _mailboxes(root: Path, source: Source, settings: ReadingSettings) -> _Found:
    if root.is_dir():
        return _tree(root, source, settings)
    return iter([consider(visible(root.name), root, root.lstat(), source.kind, settings)])


def _messages(root: Path, source: Source, settings: ReadingSettings) -> _Found:
    return maildir.walk(root, settings)


_WALKS: Final[Mapping[SourceKind, Callable[[Path, Source, ReadingSettings], _Found]]] = {
    "filesystem": _tree,
    "inbox": _tree,
    "git": _tracked,
    "mbox": _mailboxes,
    "maildir": _messages,
    "memory": _memories,
}
