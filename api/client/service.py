"""The service as a client sees it: where it is, whether it lives, and how it stands."""

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

from graphstore.errors import Unavailable

HOST: Final = "127.0.0.1"
READY_TIMEOUT_S: Final = 120.0
"""Until it has its parts; Neo4j takes most of it."""
_PATIENCE_S: Final = 1.0
"""After so long a person is told what is waited for."""
_POLL_S: Final = 0.05
_HEALTH_TIMEOUT_S: Final = 4.0
_LOOK_TIMEOUT_S: Final = 7.0
"""Longer than the service gives Neo4j for a sign of life."""
SILENT: Final = "silent"
"""How a service stands that lives and does not answer."""


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
    """starting, ready, failed or stopping; `SILENT`, which nobody says."""
    message: str
    hint: str = ""


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


started: list[subprocess.Popen[bytes]] = []
"""Services started by this process: kept, so that they are reaped and never mourned as lost."""


def connect(service: Service, timeout_s: float) -> http.client.HTTPConnection:
    """Return a connection to a service; nothing is sent yet."""
    return http.client.HTTPConnection(HOST, service.port, timeout=timeout_s)


def reap() -> None:
    """Let services that this process started, and that ended, go."""
    started[:] = [each for each in started if each.poll() is None]


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
    reap()
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
    """Return the service of a data folder that lives and answers, or None."""
    found = standing(data)
    return found[0] if found and found[1].state != SILENT else None


def standing(data: Path, *, asks_neo4j: bool = False) -> tuple[Service, Health] | None:
    """Return the service of a data folder that lives, and how it stands; None when none does.

    One that takes a question and does not answer is `SILENT`: it is frozen, or hangs.
    """
    service = recorded(data)
    if service is None or not is_running(service.pid):
        return None
    found = health(service, asks_neo4j=asks_neo4j)
    if found is None or (found.state == SILENT and not _is_itself(service)):
        return None
    return service, found


def _is_itself(service: Service) -> bool:
    """Say whether the process is the one that wrote the record, and no later one of its pid."""
    from graphstore.server.ownership import still_runs  # psutil: only who doubts pays for it

    return still_runs(service.pid, service.started_at, 1.0)


def health(service: Service, *, asks_neo4j: bool = False) -> Health | None:
    """Return how a service stands; None when nothing listens there, or no Garage."""
    connection = connect(service, _LOOK_TIMEOUT_S if asks_neo4j else _HEALTH_TIMEOUT_S)
    try:
        connection.request("GET", "/healthz?look" if asks_neo4j else "/healthz")
        content = cast("dict[str, Any]", json.loads(connection.getresponse().read()))
        if "service" not in content:
            return None
        return Health(content["state"], content["message"], content.get("hint", ""))
    except TimeoutError:
        message = f"The service (pid {service.pid}) does not answer."
        return Health(SILENT, message, "'garage stop' ends it; the next command starts it again.")
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
