"""The service as a client sees it: where it is, whether it lives, and how it is started.

Whoever needs the service first starts it. When two start it at once, one of the two processes
finds the folder taken and ends, and both clients meet at the other.
"""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from api import own_folder
from graphstore.errors import Unavailable

HOST: Final = "127.0.0.1"
START_TIMEOUT_S: Final = 60.0
"""Until a new service listens: two seconds, or thirty on a machine that is busy."""
READY_TIMEOUT_S: Final = 120.0
"""Until it has its parts; Neo4j takes most of it."""
_GRACE_S: Final = 5.0
"""How long a client whose own process has ended still looks for a service."""
_TAKEN: Final = " belongs to "
"""What a process says that found the folder taken: the other one is worth the whole wait."""
_PATIENCE_S: Final = 1.0
"""After so long a person is told what is waited for."""
_POLL_S: Final = 0.05
_HEALTH_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Service:
    """Where a service is, as it wrote it itself into `service.json`."""

    pid: int
    started_at: float
    """When its process began, seconds since the epoch."""
    port: int
    token_file: Path
    version: str
    settings_source: str = ""
    """Fingerprint of what its settings were made from; empty = not known."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digest of each of its settings."""

    def token(self, owner: str) -> str:
        """Return the token of `owner` or `relay`; each start of the service makes new ones.

        Raises:
            Unavailable: the file of tokens is not there, or not yet.
        """
        try:
            tokens: Any = json.loads(self.token_file.read_text(encoding="utf-8"))
            return str(tokens[owner])
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = f"The service's tokens cannot be read from {self.token_file}."
            raise Unavailable(message, hint="'garage stop', then try again.") from error


@dataclass(frozen=True, slots=True)
class Health:
    """How a service stands, as it says itself without a token."""

    state: str
    message: str


@dataclass(frozen=True, slots=True)
class Place:
    """A data folder, and what a service that is started there is given."""

    data: Path
    environment: Mapping[str, str]
    config: Path | None = None
    """The settings file, when one was named."""
    report: Callable[[str], None] = lambda _: None
    """Hears what is waited for when it takes a while."""
    notice: Callable[[Service], None] = lambda _: None
    """Is shown each service that is found or started."""


_started: list[subprocess.Popen[bytes]] = []
"""Services started by this process: kept, so that they are reaped and never mourned as lost."""


def connect(service: Service, timeout_s: float) -> http.client.HTTPConnection:
    """Return a connection to a service; nothing is sent yet."""
    return http.client.HTTPConnection(HOST, service.port, timeout=timeout_s)


def recorded(data: Path) -> Service | None:
    """Return what `service.json` says, alive or not; None when it says nothing."""
    try:
        content: Any = json.loads((data / "service.json").read_text(encoding="utf-8"))
        record = cast("dict[str, Any]", content)
        return Service(
            pid=int(record["pid"]),
            started_at=float(record["started_at"]),
            port=int(record["port"]),
            token_file=Path(record["token_file"]),
            version=str(record["version"]),
            settings_source=str(record.get("settings_source", "")),
            settings=dict(record.get("settings", {})),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_running(pid: int) -> bool:
    """Say whether there is a process of this pid; a service of ours that ended is none."""
    _reap()
    if sys.platform == "win32":
        return True  # there, signal 0 is Ctrl-C; /healthz tells instead
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def find(data: Path) -> Service | None:
    """Return the live service of a data folder, or None."""
    service = recorded(data)
    if service is None or not is_running(service.pid) or health(service) is None:
        return None
    return service


def health(service: Service) -> Health | None:
    """Return how a service stands; None when it does not answer, or is no Garage."""
    connection = connect(service, _HEALTH_TIMEOUT_S)
    try:
        connection.request("GET", "/healthz")
        content = cast("dict[str, Any]", json.loads(connection.getresponse().read()))
        return Health(content["state"], content["message"]) if "service" in content else None
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return None
    finally:
        connection.close()


def wait_while_starting(place: Place, service: Service) -> None:
    """Wait while a service gets ready, and report what it waits for; whatever comes of it.

    What it cannot do then is told by the operation that asks for it.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    quiet_until = time.monotonic() + _PATIENCE_S
    told = ""
    while (state := health(service)) is not None and state.state == "starting":
        now = time.monotonic()
        if now > deadline:
            return
        if now > quiet_until and state.message != told:
            told = state.message
            place.report(f"Waiting: {told}")
        time.sleep(_POLL_S)


def attach(place: Place) -> Service:
    """Return the live service of a data folder, started when there is none.

    Raises:
        Unavailable: it does not come up in time; the message names its log.
        InvalidInput: the data folder can hold no data.
    """
    service = find(place.data) or _start(place)
    place.notice(service)
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
        if service := find(place.data):
            return service
        if not has_ended and process.poll() is not None:
            has_ended = True
            if _TAKEN not in _said(log, size):
                deadline = min(deadline, time.monotonic() + _GRACE_S)
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
    _reap()
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
    _started.append(process)
    return process


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _reap() -> None:
    """Let services that this process started, and that ended, go."""
    _started[:] = [each for each in _started if each.poll() is None]


def _not_started(
    place: Place, process: subprocess.Popen[bytes], log: Path, said: str
) -> Unavailable:
    other = recorded(place.data)
    status = process.poll()
    if other is not None and is_running(other.pid):
        message = f"The service of {place.data} (pid {other.pid}) does not answer."
        return Unavailable(message, hint="'garage stop' ends it; the next command starts it again.")
    if status is not None and said:
        return Unavailable(f"The service did not start: {said}")
    if status is not None:
        message = f"The service of {place.data} ended with status {status} as it started."
    else:
        message = f"The service of {place.data} did not answer within {START_TIMEOUT_S:.0f} s."
    return Unavailable(message, hint=f"{log} says why; 'garage serve' runs it in the foreground.")
