"""A running service: it listens at once, opens when its parts are ready, and ends clean.

A crash loses nothing that was acknowledged: everything is in the graph, and the next service
goes on from there.
"""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from api import settings_fingerprint
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from api.serve import assets, lifetime, parts
from api.serve.head_start import HeadStart, Serving
from api.serve.parts import Making
from api.serve.tokens import Auth, Tokens
from api.serve.worker import Worker
from api.settings import flat
from graphstore.clock import SystemClock
from graphstore.errors import Cancelled, GarageError, OutOfSpace, StoreBroken, StoreUnavailable
from graphstore.server import jars
from graphstore.server.process import ManagedServer
from graphstore.session import Graph

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from api.serve.listening import Server

_LOG: Final = logging.getLogger(__name__)
_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_RESTARTS_S: Final = (0.5, 2.0, 8.0, 0.0)
"""Seconds before each attempt to start a Neo4j again that ended by itself; then it is left."""
_STEADY_S: Final = 600.0
"""Seconds of service after which an end is no longer one of a row."""
_KNOCKS_S: Final = (1.0, 2.0, 5.0, 10.0)
"""Seconds between looks for an owner's Neo4j that is not there; the last again and again."""
_LOOK_S: Final = 1.0
_OPENING_S: Final = 3.0
"""Seconds that a start under way has to notice that the service stops."""
_SEE_LOG: Final = (
    "neo4j/logs/server.log in the data folder says why; 'garage stop', then try again."
)


class Service:
    """Everything that runs: the listener, the parts behind it, the work and the end of all."""

    def __init__(self, serving: Serving, listener: socket.socket, begun: HeadStart | None) -> None:
        self._serving = serving
        self._folder = serving.loaded.data_folder
        self._listener = listener
        self._port: int = listener.getsockname()[1]
        self._hall = Hall()
        self._parts = ExitStack()
        self._ending = threading.Event()
        self._jvm: ManagedServer | None = None
        self._graph: Graph | None = None
        self._begun = begun
        if begun is not None:
            self._parts.callback(begun.server.stop)
        settings = serving.loaded.settings
        idle_minutes = settings.service.idle_minutes if serving.is_background else 0.0
        self._worker = Worker(self._hall, idle_minutes, self._end)
        self._auth = Auth(Tokens(self._folder), self._port)
        self._server: Server | None = None
        self._runs: Runs | None = None
        self._opening = threading.Thread(target=self._keep_open, name="opening", daemon=True)

    def run(self) -> None:
        """Serve until told to stop; Neo4j and the work under way have ended when it returns."""
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
        pauses = [*_RESTARTS_S]
        while pauses:
            self._open_at_last()
            begun = time.monotonic()
            if (jvm := self._jvm) is None or not self._lasts(jvm):
                return
            if time.monotonic() - begun > _STEADY_S:
                pauses = [*_RESTARTS_S]
            _LOG.error("Neo4j ended by itself; it is started again.")
            self._hall.wait_for("Neo4j ended by itself; starting it again")
            # One that lives on with a broken database: an orderly stop would tear its log.
            jvm.kill()
            if self._graph is not None:
                self._graph.abandon(self._why_ended())
            if self._ending.wait(pauses.pop(0)):
                return
            self._jvm = self._graph = None
            self._parts.close()
        self._hall.fail(StoreUnavailable("Neo4j ends by itself again and again.", hint=_SEE_LOG))

    def _why_ended(self) -> GarageError:
        """Return what to tell of a Neo4j that ended; a full disk is the likeliest cause."""
        try:
            parts.room_of(self._serving.loaded).require()
        except GarageError as error:
            return error
        message = "Neo4j ended by itself, and is being started again."
        return StoreUnavailable(message, hint="What was acknowledged is stored; repeat the rest.")

    def _lasts(self, jvm: ManagedServer) -> bool:
        """Wait for the end of Neo4j, or of its database; False when the service ends first."""
        while jvm.is_alive() and not self._is_broken(jvm):
            if self._ending.wait(_LOOK_S):
                return False
        return True

    def _is_broken(self, jvm: ManagedServer) -> bool:
        # An error may look like the end of the database; the database itself knows.
        return self._graph is not None and self._graph.is_broken and jvm.is_broken()

    def _open_at_last(self) -> None:
        """Open the hall; when the owner's Neo4j or the room for ours is not there, once it is."""
        pauses = chain(_KNOCKS_S, repeat(_KNOCKS_S[-1]))
        while (error := self._open()) is not None and (look := self._look_again(error)):
            self._parts.close()
            while not self._ending.wait(next(pauses)) and (absence := look()):
                self._hall.fail(absence)
            if self._ending.is_set():
                return

    def _look_again(self, error: GarageError) -> Callable[[], GarageError | None] | None:
        """Return how to see whether what was missing has come; None when it is not waited for."""
        neo4j = self._serving.loaded.settings.neo4j
        if neo4j.uri and isinstance(error, StoreUnavailable):
            return partial(parts.absence, neo4j)
        if isinstance(error, OutOfSpace | StoreBroken):
            return partial(parts.crampedness, self._serving.loaded)
        return None

    def _watch(self, jvm: ManagedServer) -> None:
        self._jvm = jvm

    def _open(self) -> GarageError | None:
        """Put the parts together and open the hall; return why that cannot be."""
        # It serves once: a Neo4j that ended is started anew.
        self._begun, begun = None, self._begun
        making = Making(
            loaded=self._serving.loaded,
            environment=self._serving.environment,
            clock=SystemClock(),
            wait_for=self._say,
            wake_embedding=self._worker.wake,
            when_idle=self._worker.when_idle,
            watch=self._watch,
            begun=begun,
        )
        try:
            garage = parts.make(making, self._parts)
        except GarageError as error:
            _LOG.error("%s", error)
            self._hall.fail(error)
            return error
        runs = self._runs = Runs(garage, parts.WORKER)
        self._parts.callback(runs.close)
        self._graph = garage.graph
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
