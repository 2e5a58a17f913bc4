"""Room: how much space the data folder has, and the floor below which nothing is written.

Neo4j does not survive a full disk: a transaction that it cannot append ends the database. So every
write asks first, and is refused while Neo4j could not finish what it has begun.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphstore.errors import OutOfSpace

MIB: Final = 2**20
TO_START: Final = 64 * MIB
"""Bytes without which Neo4j is not started: it recovers, which writes, and rotates its log."""
_GOES_ON: Final = "What is stored is safe"


@dataclass(frozen=True, slots=True)
class Room:
    """The space that a folder has left."""

    folder: Path
    least: int
    """Bytes that stay free: for a checkpoint, a rotated log and a shutdown."""

    @property
    def free(self) -> int:
        """Bytes that are free to us, now."""
        there = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return shutil.disk_usage(there).free

    def require(self) -> None:
        """Do nothing while there is room to write.

        Raises:
            OutOfSpace: there is not; the message says how much there is, and how much is needed.
        """
        if (free := self.free) < self.least:
            message = f"The disk is nearly full: {self._said(free, self.least)}. Nothing is written"
            hint = f"{_GOES_ON}, and searches go on. Free some space, then repeat the command."
            raise OutOfSpace(f"{message}.", hint=hint)

    def require_to_start(self) -> None:
        """Do nothing while there is room to start Neo4j.

        Raises:
            OutOfSpace: there is not.
        """
        least = min(TO_START, self.least)
        if (free := self.free) < least:
            message = f"The disk is full: {self._said(free, least)}. Neo4j is not started"
            hint = f"{_GOES_ON}. Free some space: a service that waits for it then goes on."
            raise OutOfSpace(f"{message}.", hint=hint)

    def _said(self, free: int, needed: int) -> str:
        return f"{free // MIB} MiB are free for {self.folder}, {needed // MIB} MiB are needed"
