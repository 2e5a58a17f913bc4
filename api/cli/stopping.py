"""Stopping: a service is asked to end, and is ended when it does not. Nothing of it is left behind.

Who is signalled is the process that wrote the record, known by its pid and its start: a pid alone
may be another's by now.
"""

import time
from contextlib import suppress
from typing import Final, Literal

import psutil

from api.cli.output import say
from api.cli.session import Session
from api.client import is_running
from api.serve import lifetime
from api.serve.lifetime import ServiceRecord
from graphstore.errors import Unavailable
from graphstore.server import ownership

_ASKED_S: Final = 30.0
"""A service at work ends its batch, its runs and Neo4j, each with a limit of its own."""
_TOLD_S: Final = 5.0
_START_TIMEOUT_S: Final = 60.0
"""Until a service that was only just started has said who it is."""
_POLL_S: Final = 0.05


def stop_service(session: Session) -> int | None:
    """End the service of the data folder and wait for it; return its pid, None when none runs.

    Raises:
        Unavailable: it does not end, not even when it is killed.
    """
    record = lifetime.living(session.data, _START_TIMEOUT_S)
    if record is None:
        return None
    _send(record, "terminate")
    if not _ends(record, _ASKED_S):
        say(f"The service (pid {record.pid}) does not end in {_ASKED_S:.0f} s; it is killed.")
        _kill(session, record)
    return record.pid


def _kill(session: Session, record: ServiceRecord) -> None:
    """End a service at once, and the Neo4j that it ran; what was acknowledged is stored."""
    _send(record, "kill")
    if not _ends(record, _TOLD_S):
        message = f"The service (pid {record.pid}) did not end when it was killed."
        raise Unavailable(message, hint="It waits for a disk that does not answer: see the system.")
    home = (session.data / "neo4j").resolve()
    if home.exists():
        ownership.end_orphans(home)


def _is_frozen(record: ServiceRecord) -> bool:
    with suppress(psutil.Error):
        return record.is_alive and psutil.Process(record.pid).status() == psutil.STATUS_STOPPED
    return False


def _send(record: ServiceRecord, act: Literal["resume", "terminate", "kill"]) -> None:
    """Signal the process of the record; none when it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(record.pid)
        # Looked at right before: psutil signals the process that it saw here, or none.
        if record.is_alive:
            {"resume": process.resume, "terminate": process.terminate, "kill": process.kill}[act]()


def _ends(record: ServiceRecord, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(record.pid) and record.is_alive:
        if time.monotonic() > deadline:
            return False
        if _is_frozen(record):
            say(f"The service (pid {record.pid}) is frozen; it is woken, so that it can end.")
            _send(record, "resume")
        time.sleep(_POLL_S)
    return True
