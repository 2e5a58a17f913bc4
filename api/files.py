"""Files that are written whole or not at all: a reader sees the old one or the new one."""

import os
import stat
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
"""Mode of a file that only its owner may read."""


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    _write(path, text, PRIVATE)


def rewrite(path: Path, text: str) -> None:
    """Write a file in the place of another one: through links, and with the mode it had.

    A new file is private.
    """
    # A person may keep their settings elsewhere and link to them: the link stays.
    target = path.resolve()
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else PRIVATE
    _write(target, text, mode)


def others_may_read(path: Path) -> bool:
    """Say whether somebody beside the owner may read a file; False where modes mean nothing."""
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _write(path: Path, text: str, mode: int) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
