"""Starting: whoever needs the service first starts it.

When two start it at once, one of the two processes finds the folder taken and ends, and both
clients meet at the other. One that lives and does not answer is told at once, by its pid.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from api import own_folder
from api.client.service import (
    SILENT,
    Place,
    Service,
    is_running,
    reap,
    recorded,
    standing,
    started,
)
from graphstore.errors import GarageError, InvalidInput, NotFound, Refused, Unavailable

START_TIMEOUT_S: Final = 60.0
"""Until a new service listens: two seconds, or thirty on a machine that is busy."""
_GRACE_S: Final = 5.0
"""How long a client whose own process has ended still looks for a service."""
_TAKEN: Final = " belongs to "
"""What a process says that found the folder taken: the other one is worth the whole wait."""
_PATIENCE_S: Final = 1.0
"""After so long a person is told what is waited for."""
_POLL_S: Final = 0.05
_FULL: Final = 2**20
"""Bytes without which a service cannot even write down where it is."""
_KINDS: Final[Mapping[int, type[GarageError]]] = {2: InvalidInput, 3: NotFound, 5: Refused}
"""What a start that failed meant, by its exit status; the others are `Unavailable`."""


def attach(place: Place) -> Service:
    """Return the live service of a data folder, started when there is none.

    Raises:
        Unavailable: it does not come up in time; the message names its log.
        InvalidInput: its settings are wrong.
        Refused: policy forbids the start.
    """
    service = _answering(place.data) or _start(place)
    place.notice(service)
    return service


def _answering(data: Path) -> Service | None:
    """Return the live service, or None.

    Raises:
        Unavailable: it lives and does not answer; another cannot be started beside it.
    """
    found = standing(data)
    if found is None:
        return None
    service, health_of = found
    if health_of.state == SILENT:
        raise Unavailable(health_of.message, hint=health_of.hint)
    return service


def _start(place: Place) -> Service:
    log = place.data / "logs" / "service.log"
    size = log.stat().st_size if log.exists() else 0
    process = _spawn(place, log)
    begun = time.monotonic()
    deadline = begun + START_TIMEOUT_S
    has_told = False
    has_ended = False
    while time.monotonic() < deadline:
        if service := _answering(place.data):
            return service
        if not has_ended and process.poll() is not None:
            has_ended = True
            said = _said(log, size)
            if _TAKEN not in said:
                # What it said is final; one that said nothing may have a luckier rival.
                deadline = min(deadline, time.monotonic() + (0.0 if said else _GRACE_S))
        if not has_told and time.monotonic() - begun > _PATIENCE_S:
            has_told = True
            place.report("Waiting for the service to start.")
        time.sleep(_POLL_S)
    raise _not_started(place, process, log, _said(log, size))


def _said(log: Path, size: int) -> str:
    """Return the error that a service wrote into its log since the log had that size."""
    try:
        with log.open("rb") as file:
            file.seek(size)
            lines = file.read(65_536).decode(errors="replace").splitlines()
    except OSError:
        return ""
    places = [number for number, line in enumerate(lines) if line.startswith("Error: ")]
    return " ".join(lines[places[-1] :])[:500].removeprefix("Error: ") if places else ""


def _spawn(place: Place, log: Path) -> subprocess.Popen[bytes]:
    reap()
    own_folder.require_usable(place.data.absolute())
    environment = {**place.environment, "GARAGE_DATA": str(place.data.absolute())}
    if place.config is not None:
        environment["GARAGE_CONFIG"] = str(place.config.absolute())
    try:
        place.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        log.parent.mkdir(mode=0o700, exist_ok=True)
        with open(log, "ab", opener=_private) as output:
            # -P and a session of its own: neither the caller's folder nor its Ctrl-C reaches it.
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "api.cli", "serve", "--background"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=place.data,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        message = f"The service cannot be started in {place.data}: {error.strerror}."
        raise Unavailable(message, hint="Check the folder's space and permissions.") from error
    started.append(process)
    return process


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _not_started(
    place: Place, process: subprocess.Popen[bytes], log: Path, said: str
) -> GarageError:
    other = recorded(place.data)
    status = process.poll()
    if status is not None and said and _TAKEN not in said:
        kind = _KINDS.get(status, Unavailable)
        return kind(f"The service did not start: {said}")
    if other is not None and is_running(other.pid):
        message = f"The service of {place.data} (pid {other.pid}) does not answer."
        return Unavailable(message, hint="'garage stop' ends it; the next command starts it again.")
    if shutil.disk_usage(place.data).free < _FULL:
        message = f"The service did not start: the disk of {place.data} is full."
        return Unavailable(message, hint="Free some space. What is stored is safe.")
    if status is not None:
        message = f"The service of {place.data} ended with status {status} as it started."
    else:
        message = f"The service of {place.data} did not answer within {START_TIMEOUT_S:.0f} s."
    return Unavailable(message, hint=f"{log} says why; 'garage serve' runs it in the foreground.")
