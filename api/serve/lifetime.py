"""Lifetime: one service a data folder. Who holds the lock serves; others find it, or are refused.

The lock is the operating system's, so it ends with the process that holds it; `service.json` says
where to find that process and is mended by the next one when it is stale.
"""

import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import psutil
from filelock import FileLock, Timeout

from api import own_folder
from api.files import write_private
from graphstore.errors import Conflict, Unavailable
from graphstore.server.ownership import still_runs

_POLL_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """Where a service is. Written as `service.json`."""

    pid: int
    started_at: float
    """When the process began, seconds since the epoch: a pid alone may be another's by now."""
    port: int
    token_file: str
    version: str
    settings_source: str = ""
    """Fingerprint of what its settings were made from: file and environment."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digest of each of its settings, so that a command can say which ones are others by now."""

    @property
    def is_alive(self) -> bool:
        """Whether the process that wrote it still runs; a zombie does not."""
        return still_runs(self.pid, self.started_at, 1.0)


@contextmanager
def only_one(folder: Path) -> Generator[None]:
    """Hold the data folder for this process.

    Raises:
        Conflict: another service holds it; the message names its pid.
    """
    lock = FileLock(folder / own_folder.LOCK, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        other = read(folder)
        who = f"the service with pid {other.pid}" if other else "a service that is starting"
        message = f"{folder} belongs to {who}."
        raise Conflict(message, hint="Use it, or end it with 'garage stop'.") from error
    try:
        yield
    finally:
        # `service.json` stays: the next service takes the same port, so that addresses last.
        (folder / "service.token").unlink(missing_ok=True)
        lock.release()


def living(folder: Path, patience_s: float) -> ServiceRecord | None:
    """Return the record of the service that runs; of one that just starts, once it has written it.

    None when none runs.

    Raises:
        Unavailable: one that starts has said nothing after `patience_s`.
    """
    deadline = time.monotonic() + patience_s
    while True:
        record = read(folder)
        if record and record.is_alive:
            return record
        if not is_held(folder):
            return None
        if time.monotonic() > deadline:
            message = f"The service that starts on {folder} was not there after {patience_s:g} s."
            raise Unavailable(message, hint="Try again in a moment.")
        time.sleep(_POLL_S)


def is_held(folder: Path) -> bool:
    """Say whether a process holds the data folder, be it only starting."""
    file = folder / own_folder.LOCK
    if not file.exists():
        return False
    lock = FileLock(file, mode=0o600)
    try:
        with lock.acquire(blocking=False):
            return False
    except Timeout:
        return True


def write(folder: Path, record: ServiceRecord) -> None:
    """Say where this process serves."""
    write_private(folder / "service.json", json.dumps(asdict(record)))


def recorded(port: int, token_file: Path, version: str) -> ServiceRecord:
    """Return the record of this process."""
    mine = psutil.Process()
    return ServiceRecord(mine.pid, mine.create_time(), port, str(token_file), version)


def read(folder: Path) -> ServiceRecord | None:
    """Return the last record, alive or not; None when there is none that can be read."""
    try:
        content: Any = json.loads((folder / "service.json").read_text(encoding="utf-8"))
        return ServiceRecord(**cast("dict[str, Any]", content))
    except (OSError, ValueError, TypeError):
        return None
