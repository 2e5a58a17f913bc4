"""The managed server: one Neo4j of our own on a data folder, started, watched and ended.

Never two JVMs on one folder, and none that outlives us for long. Data folders are 0700, the
password is random, 0600 and on no command line; the server listens on loopback only.
"""

import re
import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from graphstore.errors import Cancelled, Conflict, GarageError, NotFound, Refused, StoreUnavailable
from graphstore.server import aot, conf, jars, java, launch, unsigned
from graphstore.server.ownership import Ownership
from graphstore.settings import Connection, ServerSettings

_FOLDERS: Final = ("conf", "data", "import", "logs", "plugins")
_POLL_S: Final = 0.05
_ANSWER_S: Final = 10.0
_PORT_TRIES: Final = 5
_TRAINING_S: Final = 180.0

_PORT_TAKEN: Final = re.compile(r"PortBindException|Address already in use")

# Exit codes say little (a held lock, a bad key and a taken port are all 1): the log says more.
_CAUSES: Final[tuple[tuple[str, type[GarageError], str, str], ...]] = (
    (
        r"FileLockException|Lock file has been locked",
        Conflict,
        "another Neo4j holds the store",
        "End the other one",
    ),
    (
        r"Invalid memory configuration|OutOfMemoryError|Could not reserve enough space"
        r"|insufficient memory",
        StoreUnavailable,
        "its memory settings do not fit this machine",
        "Lower neo4j.heap_mb or neo4j.pagecache_mb",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        StoreUnavailable,
        "the disk is full",
        "Free some space",
    ),
    (
        r"Unrecognized setting|declared multiple times|Error evaluating value for setting",
        StoreUnavailable,
        "it refused its configuration",
        "Run 'garage doctor'",
    ),
)
_CODES: Final = {
    1: "its server part failed",
    2: "the database failed",
    3: "its configuration or memory settings are invalid",
    4: "it found no valid licence",
}


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

    def is_alive(self) -> bool:
        """Say whether the JVM runs; it may still be starting."""
        return self.pid is not None

    def start(self) -> Connection:
        """Return how to reach the server, started if it does not run, once it answers.

        Raises:
            Conflict: another process manages the folder, or another Neo4j holds the store.
            Refused: others may read the folder.
            Cancelled: `stop` was called meanwhile.
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
                self._connection = self._launch(self._prepare(self._tell))
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
        if self._jvm is not None:
            self._jvm.kill()

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

    def _launch(self, prepared: launch.Launch) -> Connection:
        for _ in range(_PORT_TRIES):
            port = _free_port()
            conf.write(self._home / "conf", port, self._settings)
            password = launch.ensure_password(prepared)
            self._tell("Starting Neo4j")
            jvm = self._jvm = launch.Jvm(prepared)
            self._ownership.record(port)
            connection = Connection(f"bolt://127.0.0.1:{port}", "neo4j", password)
            if self._is_ready(connection):
                self._tell("Neo4j is ready")
                return connection
            code = jvm.wait()
            log = launch.log_tail(self._home)
            # Between our look and the JVM's bind another program may take the port.
            if not _PORT_TAKEN.search(log):
                raise _ended(code, log, self._home)
        message = f"Neo4j found no free port in {_PORT_TRIES} tries."
        raise StoreUnavailable(message, hint="Retry.")

    def _is_ready(self, connection: Connection) -> bool:
        """Wait for the first answer; False when the JVM ended instead."""
        deadline = time.monotonic() + self._settings.start_timeout_s
        port = int(connection.uri.rpartition(":")[2])
        while self.is_alive():
            if self._stopping.wait(_POLL_S):
                raise Cancelled("The start of Neo4j was stopped.")
            if _is_listening(port) and self._answers(connection):
                return self.is_alive()
            if time.monotonic() > deadline:
                limit = self._settings.start_timeout_s
                message = f"Neo4j did not answer within {limit:g} s of its start."
                raise StoreUnavailable(message, hint=_see_log(self._home))
        return False

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

    def _end(self) -> None:
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


def _ended(code: int, log: str, home: Path) -> GarageError:
    for pattern, kind, cause, remedy in _CAUSES:
        if re.search(pattern, log):
            message = f"Neo4j did not start: {cause}."
            return kind(message, hint=f"{remedy}; {_see_log(home)}")
    cause = _CODES.get(code, f"its process ended with code {code}")
    return StoreUnavailable(f"Neo4j did not start: {cause}.", hint=_see_log(home))


def _see_log(home: Path) -> str:
    return f"see {home / 'logs' / launch.LOG}"
