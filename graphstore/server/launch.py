"""Launching: the command line of the server's JVM, its password, its log and its guard.

No shell and no launcher stand between us and the JVM: signals reach the one process. It never
outlives a killed parent for long, and its output never fills a pipe or a disk.
"""

import logging
import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from graphstore.errors import Conflict, InvalidInput, StoreUnavailable
from graphstore.logs import BoundedLog
from graphstore.server.java import Java, kept

LOG: Final = "server.log"
"""The JVM's output, below the data folder's `logs`."""

_LOG_BYTES: Final = 4 * 2**20
_LOG_FILES: Final = 2
_LINE: Final = 8192
_FIRST_HEAP_MB: Final = 256
_GIVE_BACK_MS: Final = 30_000
_ADMIN_S: Final = 60.0
_TERM_WAIT_S: Final = 15.0
_KILL_WAIT_S: Final = 5.0

_MODULES: Final = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")

# Reads its standard input: a line means that the manager ended the JVM itself, an end without a
# line that the manager is dead. Before it kills it looks whether the pid is still our JVM.
_GUARD: Final = """
ours() { case "$( (cat "/proc/$1/cmdline" || ps -o args= -p "$1") 2>/dev/null | tr '\\0' ' ')" in
  *"--home-dir=$2"*) return 0;; *) return 1;; esac; }
read -r _ && exit 0
ours "$1" "$2" && kill -TERM "$1"
n=0; while [ "$n" -lt 15 ] && ours "$1" "$2"; do sleep 1; n=$((n + 1)); done
ours "$1" "$2" && kill -KILL "$1"
"""


@dataclass(frozen=True, slots=True)
class Launch:
    """What a JVM of the managed server needs."""

    java: Java
    lib: Path
    home: Path
    heap_mb: int
    environment: Mapping[str, str]
    options: tuple[str, ...] = ()
    """Further options of the JVM."""

    def command(self) -> list[str]:
        """Return the whole command line."""
        home = self.home
        vector = ["--add-modules=jdk.incubator.vector"] if self.java.has_vector_module else []
        return [
            str(self.java.path),
            *self.options,
            # The heap grows for a large document, and is given back after it.
            f"-Xms{min(self.heap_mb, _FIRST_HEAP_MB)}m",
            f"-Xmx{self.heap_mb}m",
            "-XX:+UseG1GC",
            f"-XX:G1PeriodicGCInterval={_GIVE_BACK_MS}",
            "-XX:MinHeapFreeRatio=20",
            "-XX:MaxHeapFreeRatio=40",
            "-XX:-OmitStackTraceInFastThrow",
            "-XX:+DisableExplicitGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-Djdk.nio.maxCachedBufferSize=1024",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Dio.netty.leakDetection.level=DISABLED",
            *(f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in _MODULES),
            "--enable-native-access=ALL-UNNAMED",
            # Java 21 does not know the option after this one.
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--sun-misc-unsafe-memory-access=allow",
            *vector,
            "-Dorg.neo4j.shaded.lucene9.vectorization.upperJavaFeatureVersion=25",
            "-Dlog4j2.disable.jmx=true",
            "-Djava.awt.headless=true",
            "-Dfile.encoding=UTF-8",
            "-cp",
            # No plugins: nothing but the locked jars is ever loaded.
            f"{self.lib}/*",
            "org.neo4j.server.Neo4jCommunity",
            f"--home-dir={home}",
            f"--config-dir={home / 'conf'}",
            "--console-mode",
        ]

    def check_paths(self) -> None:
        """Refuse a folder whose name would tear the class path apart.

        Raises:
            InvalidInput: a path holds the separator or a wildcard.
        """
        for path in (self.home, self.lib):
            if os.pathsep in str(path) or "*" in str(path):
                message = (
                    f"Java cannot use the folder {path}: its name holds {os.pathsep!r} or '*'."
                )
                raise InvalidInput(message, hint="Choose another folder.")


class Jvm:
    """A running JVM with the thread that keeps its log and the small process that guards it."""

    def __init__(self, launch: Launch) -> None:
        log = _new_log(launch.home)
        # In a session of its own, so that Ctrl-C reaches us alone and we end it in order.
        self._process = subprocess.Popen(
            launch.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=launch.home,
            env=kept(launch.environment),
            start_new_session=True,
        )
        self._drain = threading.Thread(
            target=_drain, args=(self._process.stdout, log), name="garage-neo4j-log", daemon=True
        )
        self._drain.start()
        self._guard = _guard(self._process.pid, launch.home)

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Say whether the process runs."""
        return self._process.poll() is None

    def wait(self) -> int:
        """Return the exit code of a JVM that has ended by itself; its log is complete then."""
        code = self._process.wait()
        self._clear_up()
        return code

    def end(self, wait_s: float = _TERM_WAIT_S) -> None:
        """End the JVM, in order if it will within `wait_s`, and return when it is gone."""
        self._process.terminate()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_KILL_WAIT_S)
        self._clear_up()

    def kill(self) -> None:
        """End the JVM and what it began, at once; who waits for it clears up."""
        if os.name != "posix":
            self._process.kill()
            return
        # Its session is its own, and the process that writes an AOT cache is in it too.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _clear_up(self) -> None:
        self._drain.join(_KILL_WAIT_S)
        if self._guard is not None:
            try:
                self._guard.communicate(b"ended\n", timeout=_KILL_WAIT_S)
            except subprocess.TimeoutExpired:
                self._guard.kill()
                self._guard.wait()
            self._guard = None


def _guard(pid: int, home: Path) -> subprocess.Popen[bytes] | None:
    """Start the small process that ends the JVM when we are killed; None where there is no `sh`.

    A parent-death signal would do this on Linux alone, and there fires when the *thread* that
    started the JVM ends.
    """
    if os.name != "posix":
        return None
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "garage-guard", str(pid), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def ensure_password(launch: Launch) -> str:
    """Return the password of the managed server, making and setting it before the first start.

    Raises:
        Conflict: the store is there, but its password file is not.
    """
    file, data = launch.home / "password", launch.home / "data"
    if not file.exists():
        if (data / "databases" / "system").exists():
            message = f"{file} is missing, but the store beside it has a password."
            raise Conflict(
                message, hint="Put the file back, or restore a backup into a new folder."
            )
        _write_secret(file, secrets.token_hex(24))
    if not (data / "dbms" / "auth.ini").exists():
        _set_password(launch, file)
    return file.read_text("ascii").strip()


def log_tail(home: Path) -> str:
    """Return the end of the JVM's output, to find the cause of its end in; not for a message."""
    try:
        return (home / "logs" / LOG).read_text("utf-8", errors="replace")[-65536:]
    except OSError:
        return ""


def _write_secret(file: Path, secret: str) -> None:
    partial = file.with_suffix(".part")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secret + "\n")
    partial.replace(file)


def _set_password(launch: Launch, file: Path) -> None:
    home = {"NEO4J_HOME": str(launch.home), "NEO4J_CONF": str(launch.home / "conf")}
    # The secret goes by file: a command line can be read by everybody on the machine.
    arguments = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", f"@{file}"]
    outcome = subprocess.run(
        [launch.java.path, "-cp", f"{launch.lib}/*", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=kept(launch.environment) | home,
        cwd=launch.home,
        timeout=_ADMIN_S,
        check=False,
    )
    if outcome.returncode != 0:
        message = f"The password of the new store was not set (exit code {outcome.returncode})."
        raise StoreUnavailable(message, hint="Run 'garage doctor'.")


def _new_log(home: Path) -> BoundedLog:
    file = home / "logs" / LOG
    is_old = file.exists()
    handler = BoundedLog(file, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8")
    if is_old:
        handler.doRollover()
    return handler


def _drain(stream: IO[bytes], log: BoundedLog) -> None:
    """Copy the JVM's output into its log, which is of bounded size, until the JVM ends."""
    with stream:
        while line := stream.readline(_LINE):
            text = line.decode("utf-8", errors="replace").rstrip()
            log.emit(logging.LogRecord("neo4j", logging.INFO, "", 0, text, None, None))
    log.close()
