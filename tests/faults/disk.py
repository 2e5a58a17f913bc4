"""A disk of its own, small enough to be filled: a tmpfs, where this process may mount one."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

MIB = 2**20


@dataclass(frozen=True)
class Disk:
    """A mounted disk, and the file that another program fills it with."""

    root: Path

    @property
    def _fill(self) -> Path:
        return self.root / "another-programs-file"

    @property
    def free(self) -> int:
        state = os.statvfs(self.root)
        return state.f_bavail * state.f_frsize

    def fill(self, leave_mb: int) -> None:
        """Leave only so much space."""
        with self._fill.open("ab") as file:
            for _ in range(1_000):
                if (missing := self.free - leave_mb * MIB) <= 0:
                    return
                # Others write meanwhile: what was free a moment ago may be no more.
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, missing)
        message = f"{self.root} could not be filled: {self.free} bytes are free"
        raise AssertionError(message)

    def empty(self) -> None:
        """Take the other program's file away."""
        self._fill.unlink(missing_ok=True)


@contextmanager
def mounted(root: Path, size_mb: int) -> Generator[Disk]:
    """Mount a disk for the block; the test is skipped where that is not permitted."""
    root.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=700", "tmpfs", str(root)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"NOT TESTED: a full disk needs a mount, which fails here: {done.stderr}")
    try:
        yield Disk(root)
    finally:
        subprocess.run(["umount", "--lazy", str(root)], check=True)
