"""Ownership of a data folder: one manager, one JVM, whatever died before.

A lock of the operating system says whether the folder has an owner: it cannot go stale. The owner
file beside it says who; it outlives its writer only after a crash, and is then the sign to look
for an orphaned JVM.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, cast

import psutil
from filelock import FileLock, Timeout

from graphstore.errors import Conflict, StoreUnavailable

_FILE: Final = "owner.json"
_STRAY_WAIT_S: Final = 10.0
_TERM_WAIT_S: Final = 15.0
_KILL_WAIT_S: Final = 5.0
_TOLERANCE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Owner:
    """Who manages a data folder."""

    pid: int
    started: float
    """When that process started, as the operating system tells: a pid alone may be reused."""
    port: int = 0
    """Bolt port of its server; 0 before there is one."""

    @property
    def is_alive(self) -> bool:
        """Say whether the process still runs; a zombie does not."""
        return still_runs(self.pid, self.started, _TOLERANCE_S)


def still_runs(pid: int, started: float, tolerance_s: float) -> bool:
    """Say whether the process of this pid is the one that started then; a zombie does not run."""
    try:
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - started) < tolerance_s
        return is_same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


class Ownership:
    """A claim on a data folder, held from `claim` to `release` or the end of the process."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = FileLock(home / "owner.lock", thread_local=False, mode=0o600)

    @property
    def is_held(self) -> bool:
        """Say whether this claim holds the folder."""
        return self._lock.is_locked

    def claim(self) -> None:
        """Take the folder, and end a JVM that a dead owner left on it. Taking it twice is once.

        Raises:
            Conflict: another process, named by its pid, manages the folder.
        """
        if self._lock.is_locked:
            return
        owner = read(self._home)
        # A dead owner's forked children keep its lock for the moment that they take to notice.
        patience = 0.0 if owner is None or owner.is_alive else _STRAY_WAIT_S
        try:
            self._lock.acquire(timeout=patience)
        except Timeout:
            raise _refusal(self._home, read(self._home)) from None
        try:
            if owner is not None or (self._home / _FILE).exists():
                end_orphans(self._home)
            self.record(0)
        except BaseException:
            self._lock.release()
            raise

    def record(self, port: int) -> None:
        """Write down who owns the folder, and where its server listens."""
        owner = Owner(os.getpid(), psutil.Process().create_time(), port)
        partial = self._home / f"{_FILE}.part"
        partial.write_text(json.dumps(asdict(owner)), encoding="utf-8")
        partial.replace(self._home / _FILE)

    def release(self) -> None:
        """Give the folder back; its JVM has ended."""
        if self._lock.is_locked:
            (self._home / _FILE).unlink(missing_ok=True)
            self._lock.release()


def read(home: Path) -> Owner | None:
    """Return who owned the folder last, alive or not; None when it was given back or unreadable."""
    try:
        row = cast("dict[str, Any]", json.loads((home / _FILE).read_text("utf-8")))
        return Owner(int(row["pid"]), float(row["started"]), int(row["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def end_orphans(home: Path) -> None:
    """End every JVM that runs on this folder; it has no owner.

    Raises:
        StoreUnavailable: one of them does not end.
    """
    orphans = [process for process in psutil.process_iter() if _runs_on(process, home)]
    for process in orphans:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs(orphans, timeout=_TERM_WAIT_S)
    for process in stubborn:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    _, immortal = psutil.wait_procs(stubborn, timeout=_KILL_WAIT_S)
    if immortal:
        pids = ", ".join(str(process.pid) for process in immortal)
        message = f"An orphaned Neo4j (process {pids}) holds {home} and does not end."
        raise StoreUnavailable(message, hint="End it, then retry.")


def _runs_on(process: psutil.Process, home: Path) -> bool:
    try:
        return f"--home-dir={home}" in process.cmdline()
    except psutil.Error:
        return False


def _refusal(home: Path, owner: Owner | None) -> Conflict:
    who = f"process {owner.pid}" if owner else "another process"
    hint = "Use the running service, or stop it first."
    return Conflict(f"The data folder {home} is managed by {who}.", hint=hint)
