"""The service of a data folder: it listens at once, opens when its parts are ready, and ends clean.

A crash loses nothing that was acknowledged: everything is in the graph, and the next service
goes on from there.
"""

import json
import logging
import logging.handlers
import os
import socket
import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from api import settings_check, settings_fingerprint
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from api.serve import assets, lifetime, parts
from api.serve.parts import Making
from api.serve.tokens import Auth, Tokens
from api.serve.worker import Worker
from api.settings import Loaded, flat
from graphstore.clock import SystemClock
from graphstore.errors import Cancelled, GarageError, InvalidInput, Refused, StoreUnavailable
from graphstore.server import jars
from graphstore.server.process import ManagedServer

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from api.serve.listening import Server

_LOG: Final = logging.getLogger(__name__)
_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_RESTARTS_S: Final = (0.5, 2.0, 8.0, 0.0)
"""Seconds before each attempt to start a Neo4j again that ended by itself; then it is left."""
_KNOCKS_S: Final = (1.0, 2.0, 5.0, 10.0)
"""Seconds between looks for an owner's Neo4j that is not there; the last again and again."""
_LOOK_S: Final = 1.0
_OPENING_S: Final = 3.0
"""Seconds that a start under way has to notice that the service stops."""
_SEE_LOG: Final = (
    "neo4j/logs/server.log in the data folder says why; 'garage stop', then try again."
)
_LOG_BYTES: Final = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Serving:
    """How a service is to run."""

    loaded: Loaded
    environment: dict[str, str]
    is_background: bool
    """Started by a client that needed it: it stops when idle."""


def serve(serving: Serving) -> None:
    """Run the service of the data folder until it is told to stop.

    Raises:
        Conflict: another service has the folder; the message names its pid.
        InvalidInput: the port of the settings is taken.
        Refused: others on this machine may read a password, or the folder is somebody else's.
    """
    folder = serving.loaded.data_folder
    # Everything here is for the owner alone, whoever made the folder first.
    os.umask(0o077)
    _make_private(folder)
    settings_check.refuse_exposed(serving.loaded)
    _log_to(folder, serving.is_background)
    with lifetime.only_one(folder), _listening(serving, folder) as listener:
        _Service(serving, listener).run()


def _make_private(folder: Path) -> None:
    """Make the folder, and close it to others, whoever opened it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder.chmod(0o700)
    except PermissionError as error:
        message = f"{folder} belongs to another user, who could read your graph."
        raise Refused(message, hint="Choose another folder: GARAGE_DATA or data.folder.") from error


class _Service:
    def __init__(self, serving: Serving, listener: socket.socket) -> None:
        self._serving = serving
        self._folder = serving.loaded.data_folder
        self._listener = listener
        self._port: int = listener.getsockname()[1]
        self._hall = Hall()
        self._parts = ExitStack()
        self._ending = threading.Event()
        self._jvm: ManagedServer | None = None
        settings = serving.loaded.settings
        idle_minutes = settings.service.idle_minutes if serving.is_background else 0.0
        self._worker = Worker(self._hall, idle_minutes, self._end)
        self._auth = Auth(Tokens(self._folder), self._port)
        self._server: Server | None = None
        self._runs: Runs | None = None
        self._opening = threading.Thread(target=self._keep_open, name="opening", daemon=True)

    def run(self) -> None:
        # The JVM starts while the faces are imported: both take seconds.
        self._opening.start()
        self._worker.start()
        self._worker.when_idle(_warm_mcp)
        try:
            self._serve()
        finally:
            self._stop_work()
            self._worker.close()
            self._parts.close()
            self._opening.join(_OPENING_S)
            # What was put together meanwhile.
            self._parts.close()
            _LOG.info("Garage stopped.")

    def _stop_work(self) -> None:
        """Have everything under way end soon: who follows a run hears of its end."""
        self._hall.close()
        self._ending.set()
        self._worker.stop()
        if self._runs is not None:
            self._runs.stop()

    def _serve(self) -> None:
        """Listen until told to stop."""
        # Imported here, while the JVM starts: the faces take more than a second.
        from api.serve.listening import Server

        server = self._server = Server(self._app(), self._stop_work)
        loaded = self._serving.loaded
        token_file = self._folder / "service.token"
        secrets = {"owner": self._auth.owner_secret, "relay": self._auth.relay_secret}
        lifetime.write_private(token_file, json.dumps(secrets))
        record = replace(
            lifetime.recorded(self._port, token_file, version("garage")),
            settings_source=loaded.source,
            settings=settings_fingerprint.digests(flat(loaded.settings)),
        )
        lifetime.write(self._folder, record)
        _LOG.info("Garage listens on http://127.0.0.1:%d (pid %d).", self._port, record.pid)
        server.run(sockets=[self._listener])

    def _keep_open(self) -> None:
        """Open the hall; again, a few times, when the Neo4j that runs here ends by itself."""
        for pause_s in _RESTARTS_S:
            self._open_at_last()
            while self._jvm is not None and self._jvm.is_alive():
                if self._ending.wait(_LOOK_S):
                    return
            if self._jvm is None:
                return
            _LOG.error("Neo4j ended by itself; it is started again.")
            self._hall.wait_for("Neo4j ended by itself; starting it again")
            if self._ending.wait(pause_s):
                return
            self._jvm = None
            self._parts.close()
        self._hall.fail(StoreUnavailable("Neo4j ends by itself again and again.", hint=_SEE_LOG))

    def _open_at_last(self) -> None:
        """Open the hall; when the owner's Neo4j is not there, as soon as it is."""
        neo4j = self._serving.loaded.settings.neo4j
        pauses = chain(_KNOCKS_S, repeat(_KNOCKS_S[-1]))
        while isinstance(self._open(), StoreUnavailable) and neo4j.uri:
            self._parts.close()
            while not self._ending.wait(next(pauses)) and (absence := parts.absence(neo4j)):
                self._hall.fail(absence)
            if self._ending.is_set():
                return

    def _watch(self, jvm: ManagedServer) -> None:
        self._jvm = jvm

    def _open(self) -> GarageError | None:
        """Put the parts together and open the hall; return why that cannot be."""
        making = Making(
            loaded=self._serving.loaded,
            environment=self._serving.environment,
            clock=SystemClock(),
            wait_for=self._say,
            wake_embedding=self._worker.wake,
            when_idle=self._worker.when_idle,
            watch=self._watch,
        )
        try:
            garage = parts.make(making, self._parts)
        except GarageError as error:
            _LOG.error("%s", error)
            self._hall.fail(error)
            return error
        runs = self._runs = Runs(garage, parts.WORKER)
        self._parts.callback(runs.close)
        self._hall.open(Ready(garage, runs))
        _LOG.info("Garage is ready.")
        return None

    def _say(self, what: str) -> None:
        if self._ending.is_set():
            raise Cancelled("The service stops.", hint="Start it again.")
        _LOG.info("%s …", what)
        self._hall.wait_for(what)

    def _end(self) -> None:
        if self._server is not None:
            self._server.should_exit = True

    def _app(self) -> "ASGIApp":
        from api.serve.app import Parts, build_app

        loaded = self._serving.loaded
        made = Parts(
            hall=self._hall,
            auth=self._auth,
            hosts=tuple(f"{name}:{self._port}" for name in _NAMES),
            mcp_writes=loaded.settings.mcp.writes,
            assets=assets.Assets(jars.folder("web", loaded.cache_folder)),
            version=version("garage"),
        )
        return build_app(made)


def _warm_mcp() -> None:
    from api.serve import mcp_door

    mcp_door.warm()


def _listening(serving: Serving, folder: Path) -> socket.socket:
    """Return a listening socket: the port of the settings, the last one, or any; on loopback."""
    address = serving.loaded.settings.service.bind
    wanted = serving.loaded.settings.service.port
    last = lifetime.read(folder)
    choices = [wanted] if wanted else [*([last.port] if last else []), 0]
    for port in choices:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError:
            listener.close()
            continue
        return listener
    message = f"Port {wanted} is taken by another program."
    raise InvalidInput(message, hint="Set service.port to another one, or to 0.")


def _log_to(folder: Path, is_background: bool) -> None:
    """Send the log to a bounded file, and to standard error in the foreground."""
    (folder / "logs").mkdir(mode=0o700, exist_ok=True)
    file = logging.handlers.RotatingFileHandler(
        folder / "logs" / "service.log", maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8"
    )
    handlers: list[logging.Handler] = [file]
    if not is_background:
        handlers.append(logging.StreamHandler(sys.stderr))
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=handlers
    )
    for noisy in ("neo4j", "mcp", "uvicorn.error", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
