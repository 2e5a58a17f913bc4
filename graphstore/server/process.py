"""The managed server: one Neo4j of our own on a data folder, started, watched and ended.

Never two JVMs on one folder, and none that outlives us for long. Data folders are 0700, the
password is random, 0600 and on no command line; the server listens on loopback only.
"""

import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from graphstore.errors import (
    Cancelled,
    GarageError,
    NotFound,
    Refused,
    StoreBroken,
    StoreUnavailable,
)
from graphstore.room import MIB, Room
from graphstore.server import aot, causes, conf, jars, java, launch, torn, unsigned
from graphstore.server.ownership import Ownership
from graphstore.settings import Connection, ServerSettings

_FOLDERS: Final = ("conf", "data", "import", "logs", "plugins")
_POLL_S: Final = 0.05
_LOOK_S: Final = 1.0
_LAST_WORD_S: Final = 2.0
_ANSWER_S: Final = 10.0
_PORT_TRIES: Final = 5
_TRAINING_S: Final = 180.0


class ManagedServer:
    """A Neo4j of our own on the folder `home`; `start` and `stop` may come from any thread."""

    def __init__(
        self,
        home: Path,
        cache: Path,
        settings: ServerSettings,
        environment: Mapping[str, str],
        report: Callable[[str], None],
    ) -> None:
        self._home = home.resolve()
        self._cache = cache
        self._settings = settings
        self._environment = environment
        self._report = report
        self._ownership = Ownership(self._home)
        self._turn = threading.Lock()
        self._stopping = threading.Event()
        self._jvm: launch.Jvm | None = None
        self._connection: Connection | None = None
        self._training: Path | None = None
        self._trainee: ManagedServer | None = None

    @property
    def pid(self) -> int | None:
        """Return the JVM's process id; None when it does not run."""
        jvm = self._jvm
        return jvm.pid if jvm and jvm.is_alive() else None

    @property
    def room(self) -> Room:
        """The space that its folder has left."""
        return Room(self._home, self._settings.keep_free_mb * MIB)

    def is_alive(self) -> bool:
        """Say whether the JVM runs; it may still be starting."""
        return self.pid is not None

    def start(self) -> Connection:
        """Return how to reach the server, started if it does not run, once it answers.

        Raises:
            Conflict: another process manages the folder, or another Neo4j holds the store.
            Refused: others may read the folder.
            Cancelled: `stop` was called meanwhile.
            OutOfSpace: the disk is too full for a start.
            Unavailable: no jars, no Java, or a server that does not come up.
        """
        with self._turn:
            if self._connection and self.is_alive():
                return self._connection
            with ExitStack() as undo:
                undo.callback(self._end)
                self._end_jvm()
                _make_private(self._home)
                self._ownership.claim()
                self.room.require_to_start()
                self._connection = self._opened(self._prepare(self._tell))
                undo.pop_all()
            return self._connection

    def stop(self) -> None:
        """End the server and give the folder back; also ends a `start` or `train` under way."""
        self._stopping.set()
        if self._trainee is not None:
            self._trainee._abandon()
        with self._turn:
            self._end()
            self._stopping.clear()

    def kill(self) -> None:
        """End the JVM at once; `stop` or `start` clears up after it.

        What was acknowledged is in its log. So it goes after an error that only a restart mends.
        """
        if self._jvm is not None:
            self._jvm.kill()

    def train(self, exercise: Callable[[Connection], None]) -> bool:
        """Make the AOT cache by a short life of a second JVM; return whether there is a new one.

        `exercise` is what the JVM learns. It takes half a minute; `stop` ends it sooner.

        Raises:
            Unavailable: the second JVM did not come up.
        """
        # In silence: the service is ready, and must not be said to wait for anything.
        target = aot.file(self._prepare(lambda _: None), self._cache)
        if target is None or target.exists():
            return False
        with aot.workplace(target) as folder:
            if folder is None:
                return False
            scratch = ManagedServer(
                folder / "home", self._cache, self._settings, self._environment, lambda _: None
            )
            made = scratch._training = folder / "new.aot"
            self._trainee = scratch
            try:
                exercise(scratch.start())
            finally:
                scratch._finish_training()
                self._trainee = None
            if made.is_file() and not scratch._stopping.is_set():
                made.replace(target)
        return target.is_file()

    def _abandon(self) -> None:
        """End a JVM in training at once: what it learnt is not worth waiting for."""
        self._stopping.set()
        self.kill()

    def _finish_training(self) -> None:
        """End the JVM and give it the time to write what it learnt."""
        with self._turn:
            if self._jvm is not None:
                self._jvm.end(_TRAINING_S)
            self._end()

    def _prepare(self, tell: Callable[[str], None]) -> launch.Launch:
        repository = self._settings.maven_repository
        fetched = jars.fetch("neo4j", self._cache, repository, tell, self._environment)
        library = unsigned.make(fetched)
        tell("Choosing a Java")
        chosen = java.choose(self._settings.java, self._environment)
        prepared = launch.Launch(
            chosen, library.resolve(), self._home, self._settings.heap_mb, self._environment
        )
        prepared.check_paths()
        if self._training:
            return replace(prepared, options=(f"-XX:AOTCacheOutput={self._training}",))
        return replace(prepared, options=aot.options(prepared, self._cache))

    def _opened(self, prepared: launch.Launch) -> Connection:
        """Launch; once more when a full disk tore the end of the log, which is cut off then."""
        seen = causes.debug_size(self._home)
        try:
            return self._launch(prepared)
        except StoreUnavailable:
            if not torn.is_mendable(self._home, causes.debug_since(self._home, seen)):
                raise
        self._tell("Mending the end of the transaction log, which a full disk tore off")
        self._end_jvm()
        torn.keep(self._home)
        return self._launch(prepared, torn.CUT_OFF)

    def _launch(
        self, prepared: launch.Launch, further: Mapping[str, str] = MappingProxyType({})
    ) -> Connection:
        for _ in range(_PORT_TRIES):
            port = _free_port()
            conf.write(self._home / "conf", port, self._settings, further)
            password = launch.ensure_password(prepared)
            self._tell("Starting Neo4j")
            seen = causes.debug_size(self._home)
            jvm = self._jvm = launch.Jvm(prepared)
            self._ownership.record(port)
            connection = Connection(f"bolt://127.0.0.1:{port}", "neo4j", password)
            if self._is_ready(connection, seen):
                self._tell("Neo4j is ready")
                return connection
            code = jvm.wait()
            # Between our look and the JVM's bind another program may take the port.
            if not causes.PORT_TAKEN.search(launch.log_tail(self._home)):
                raise causes.of_end(code, self._home, causes.debug_since(self._home, seen))
        message = f"Neo4j found no free port in {_PORT_TRIES} tries."
        raise StoreUnavailable(message, hint="Retry.")

    def _is_ready(self, connection: Connection, seen: int) -> bool:
        """Wait for the first answer; False when the JVM ended instead.

        `seen` is the size of the debug log before: what it says since tells a hopeless start.
        """
        deadline = time.monotonic() + self._settings.start_timeout_s
        next_look = time.monotonic() + _LOOK_S
        port = int(connection.uri.rpartition(":")[2])
        while self.is_alive():
            if self._stopping.wait(_POLL_S):
                raise Cancelled("The start of Neo4j was stopped.")
            if _is_listening(port) and self._answers(connection):
                return self.is_alive()
            if time.monotonic() > next_look:
                next_look = time.monotonic() + _LOOK_S
                self._give_up_hopeless(causes.debug_since(self._home, seen))
            if time.monotonic() > deadline:
                limit = self._settings.start_timeout_s
                message = f"Neo4j did not answer within {limit:g} s of its start."
                raise StoreUnavailable(message, hint=causes.see(self._home))
        return False

    def _give_up_hopeless(self, debug: str) -> None:
        """End a JVM that runs and will serve nothing, and tell why."""
        if causes.is_hopeless(debug):
            self.kill()
            raise causes.of_silence(self._home, debug)

    def _answers(self, connection: Connection) -> bool:
        # Imported here, while the JVM starts: it takes a quarter of a second.
        from graphstore.server import probe

        try:
            probe.ask(connection, _ANSWER_S)
        except (StoreUnavailable, NotFound):  # the database comes a moment after the port
            return False
        return True

    def _tell(self, text: str) -> None:
        if self._stopping.is_set():
            raise Cancelled("The start of Neo4j was stopped.")
        self._report(text)

    def is_broken(self) -> bool:
        """Ask whether the database has ended inside a JVM that lives."""
        if self._connection is None or not self.is_alive():
            return False
        from graphstore.server import probe

        try:
            probe.ask(self._connection, _LAST_WORD_S)
        except GarageError as error:
            return isinstance(error, StoreBroken)
        return False

    def _end(self) -> None:
        if self.is_broken():
            # An orderly stop would append what is left in its buffers, and tear the log.
            self.kill()
        self._end_jvm()
        self._ownership.release()

    def _end_jvm(self) -> None:
        jvm, self._jvm, self._connection = self._jvm, None, None
        if jvm is not None:
            jvm.end()


def _make_private(home: Path) -> None:
    """Make the folders, for the owner alone; refuse one that others may read."""
    for folder in (home, *(home / name for name in _FOLDERS)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (home, home / "password"):
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
        if mode & 0o077:
            message = f"{path} may be read by others (mode {mode:04o}); it must be for you alone."
            raise Refused(message, hint=f"Run: chmod go= '{path}'")


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probing:
        probing.bind(("127.0.0.1", 0))
        return int(probing.getsockname()[1])


def _is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
