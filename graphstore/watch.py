"""Watch: no call of Neo4j waits for ever. What a frozen server holds up is broken off.

The driver waits without limit for a reply on a connection that is open. So every call is watched:
one that takes long makes the watch ask the server for a sign of life on another connection; when
there is none, or the call is past its own limit, its connection is shut, and the driver raises as
for a lost server.
"""

import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Literal

import neo4j

from graphstore.errors import GarageError, StoreUnavailable

Verdict = Literal["", "frozen", "overdue"]

_LOOK_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Patience:
    """How long calls are waited for."""

    quiet_s: float = 5.0
    """Seconds without a reply until the server is asked for a sign of life."""
    sign_s: float = 10.0
    """Seconds that it has to give one. Long, for a machine that is busy with other work."""
    grace_s: float = 10.0
    """Seconds past the server's own limit of a call."""
    open_s: float = 10.0
    """Seconds to open a connection."""
    retry_s: float = 20.0
    """Seconds after its first failure in which a call is tried again."""


@dataclass(slots=True, eq=False)
class Call:
    """One call under way."""

    session: neo4j.Session
    ends_at: float
    asked_at: float
    """When it began, or the server last gave a sign of life meanwhile."""
    verdict: Verdict = ""
    """Why its connection was shut; empty = it was not."""


class Watch:
    """Watches the calls of one server. Thread-safe; its thread lives while there are calls."""

    def __init__(self, ask: Callable[[float], None], patience: Patience) -> None:
        self._ask = ask
        self._patience = patience
        self._calls: set[Call] = set()
        self._changed = threading.Condition()
        self._is_running = False

    @contextmanager
    def over(self, session: neo4j.Session, limit_s: float) -> Generator[Call]:
        """Watch what the block does on the session; it may take `limit_s` and the grace."""
        now = time.monotonic()
        call = Call(session, now + limit_s + self._patience.grace_s, now)
        with self._changed:
            self._calls.add(call)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="garage-watch", daemon=True).start()
        try:
            yield call
        finally:
            with self._changed:
                self._calls.discard(call)

    def _run(self) -> None:
        while self._look():
            time.sleep(_LOOK_S)

    def _look(self) -> bool:
        """Judge what is under way; False when nothing is, and the thread ends."""
        now = time.monotonic()
        with self._changed:
            if not self._calls:
                self._is_running = False
                return False
            calls = [call for call in self._calls if not call.verdict]
        for call in calls:
            if now > call.ends_at:
                self._shut(call, "overdue")
        quiet = [call for call in calls if now - call.asked_at > self._patience.quiet_s]
        if quiet:
            self._ask_for_a_sign(quiet)
        return True

    def _ask_for_a_sign(self, quiet: list[Call]) -> None:
        try:
            self._ask(self._patience.sign_s)
        except StoreUnavailable:
            for call in quiet:
                self._shut(call, "frozen")
        except GarageError:
            pass  # It answers, though it does not serve: the calls will hear so themselves.
        now = time.monotonic()
        for call in quiet:
            call.asked_at = now

    def _shut(self, call: Call, verdict: Verdict) -> None:
        """Shut the connection of a call that is still under way."""
        with self._changed:
            if call not in self._calls or call.verdict:
                return
            # The driver has no public way to break off a call of another thread. Before there is
            # a connection, its opening has limits of its own.
            connection = call.session._connection  # pyright: ignore[reportPrivateUsage] - as said
            if connection is None:
                return
            call.verdict = verdict
            with suppress(OSError):
                # Only shut: closed, the number could be another file's while the call reads it.
                connection.socket._socket.shutdown(socket.SHUT_RDWR)
