"""Folders: listing one without following a link."""

import errno
import os
from pathlib import Path


def list_folder(folder: Path, seen: os.stat_result) -> list[tuple[str, os.stat_result]]:
    """Return names and statuses (of links themselves) in a folder, unordered.

    Raises:
        OSError: it cannot be listed, or another folder took the place of the one `seen`.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if not os.path.samestat(os.fstat(descriptor), seen):
            raise OSError(errno.ESTALE, "another folder took its place")
        found: list[tuple[str, os.stat_result]] = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                try:
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue  # it vanished while the folder was listed
        return found
    finally:
        os.close(descriptor)
