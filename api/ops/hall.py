"""The hall of a running service: it opens when the parts are ready, and says what it waits for.

A face listens from the first moment; an operation that comes early waits here, with a deadline,
and is told what is missing.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from api.ops.garage import Garage
from api.ops.runs import Runs
from graphstore.errors import (
    GarageError,
    IndexUnavailable,
    OutOfSpace,
    StoreUnavailable,
    Unavailable,
)

T = TypeVar("T")

_TRIES: Final = 3
"""How often a read is begun anew on other parts."""
_LOST_S: Final = 1.5
"""Seconds until the end of a Neo4j that a call met is known here too."""

State = Literal["starting", "ready", "failed", "stopping"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The parts that operations work with."""

    garage: Garage
    runs: Runs


@dataclass(frozen=True, slots=True)
class Standing:
    """How the service stands."""

    state: State
    message: str
    """What it waits for, or why it failed; empty when ready."""
    hint: str = ""
    """What to do about it."""


class Hall:
    """Where faces meet the parts. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._state: State = "starting"
        self._message = "The service starts"
        self._hint = ""
        self._ready: Ready | None = None
        self._clients = 0
        self._last_seen = time.monotonic()

    @property
    def standing(self) -> Standing:
        """How the service stands now."""
        with self._changed:
            return Standing(self._state, self._message, self._hint)

    @property
    def idle_s(self) -> float:
        """Seconds since the last client left; 0 while one is there."""
        with self._changed:
            return 0.0 if self._clients else time.monotonic() - self._last_seen

    def wait_for(self, what: str) -> None:
        """Say what the service waits for."""
        self._set("starting", what)

    def open(self, ready: Ready) -> None:
        """Let operations in."""
        with self._changed:
            self._ready = ready
        self._set("ready", "")

    def fail(self, error: GarageError) -> None:
        """Say why the service cannot serve; it may open later all the same."""
        with self._changed:
            self._state, self._message, self._hint = "failed", error.message, error.hint
            self._changed.notify_all()

    def close(self) -> None:
        """Let no operation in any more."""
        self._set("stopping", "The service stops")

    def ready(self, timeout_s: float = 15.0) -> Ready:
        """Return the parts, once they are there.

        Raises:
            Unavailable: they are not there in time, or cannot be; the message says what is missing.
        """
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while self._state == "starting" and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            if self._state == "ready" and self._ready is not None:
                return self._ready

            hint = self._hint or "Try again in a moment; 'garage status' says how it stands."
            raise Unavailable(f"The service is not ready ({self._message}).", hint=hint)

    def do(self, operation: Callable[[Garage], T], *, repeats: bool, timeout_s: float = 15.0) -> T:
        """Run an operation; one that `repeats` without harm, again when Neo4j is started anew.

        Raises:
            Unavailable: the parts are not there in time, or went away under what may not repeat.
        """
        for attempt in range(1, _TRIES + 1):
            ready = self.ready(timeout_s)
            try:
                return operation(ready.garage)
            except (IndexUnavailable, OutOfSpace):
                raise
            except StoreUnavailable as error:
                if not self._loses(ready):
                    raise
                if not repeats or attempt == _TRIES:
                    raise self._cut_short() from error
        raise AssertionError

    def look(self, timeout_s: float) -> Standing:
        """Return how the service stands, after asking Neo4j for a sign of life."""
        with self._changed:
            ready = self._ready if self._state == "ready" else None
        if ready is not None:
            try:
                ready.garage.graph.look(timeout_s)
            except GarageError as error:
                if self.standing.state == "ready":
                    return Standing("failed", error.message, error.hint)
        return self.standing

    def _loses(self, ready: Ready) -> bool:
        """Say whether these parts go away; that they do is known a moment after their calls."""
        deadline = time.monotonic() + _LOST_S
        with self._changed:
            while self._state == "ready" and self._ready is ready:
                if (left := deadline - time.monotonic()) <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _cut_short(self) -> Unavailable:
        message = "Neo4j ended while this was under way, and is being started again."
        hint = "Look whether it was done, then repeat it if not."
        return Unavailable(f"{message} ({self.standing.message})", hint=hint)

    @contextmanager
    def client(self) -> Generator[None]:
        """Count a client for as long as it is there, so that the service does not stop as idle."""
        with self._changed:
            self._clients += 1
        try:
            yield
        finally:
            with self._changed:
                self._clients -= 1
                self._last_seen = time.monotonic()

    def _set(self, state: State, message: str) -> None:
        with self._changed:
            self._state, self._message, self._hint = state, message, ""
            self._changed.notify_all()
