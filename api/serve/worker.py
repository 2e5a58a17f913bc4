"""The worker: what the service does by itself. It embeds what is pending and runs maintenance.

It also notices that nobody needs the service any more. One thread; every wait has an end.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from api.ops import backfill, maintenance
from api.ops.backfill import Filled
from api.ops.garage import Stop
from api.ops.hall import Hall, Ready
from graphstore.errors import GarageError

_LOG: Final = logging.getLogger(__name__)
_TICK_S: Final = 1.0
_FOREVER_S: Final = 600.0
"""Seconds until a look for pending texts that nobody announced."""
_LONGEST_S: Final = 300.0
"""Most seconds until a failed embedder is asked again; each failure doubles the pause."""
_QUIET_S: Final = 20.0
"""Seconds without a client until work that can wait is begun."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """How long a model that failed is left alone."""

    pause_s: float
    until: float


class Worker:
    """Works on the parts of a hall until it is closed."""

    def __init__(self, hall: Hall, idle_minutes: float, on_idle: Callable[[], None]) -> None:
        self._hall = hall
        self._idle_s = idle_minutes * 60
        self._on_idle = on_idle
        self._stop = Stop()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._is_embedding = False
        self._next_fill = 0.0
        self._rests: dict[str, _Rest] = {}
        self._idle_work: list[Callable[[], object]] = []

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is something new to embed."""
        self._next_fill = 0.0
        self._wake.set()

    def when_idle(self, work: Callable[[], object]) -> None:
        """Do `work` once, on a thread of its own, when nobody has needed anything for a while."""
        self._idle_work.append(work)

    def stop(self) -> None:
        """Stop after the text at hand."""
        self._stop.set()
        self._wake.set()

    def close(self, timeout_s: float = 3.0) -> None:
        """Stop, and wait a moment: what was not written is embedded again by the next service."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        next_round = 0.0
        while ready := self._parts():
            interval_s = ready.garage.settings.maintenance.interval_minutes * 60
            next_round = next_round or time.monotonic() + interval_s
            try:
                ready.runs.settle()
                self._fill(ready)
                if interval_s and time.monotonic() >= next_round:
                    next_round = time.monotonic() + interval_s
                    maintenance.once(ready.garage, ready.runs)
            except GarageError as error:
                # The database may be away for a while: say so, and try again later.
                _LOG.warning("%s", error)
                self._next_fill = time.monotonic() + ready.garage.settings.maintenance.retry_s
            self._wake.wait(_TICK_S)
            self._wake.clear()
            self._look_whether_idle(ready)

    def _parts(self) -> Ready | None:
        while not self._stop.is_set():
            try:
                return self._hall.ready(_TICK_S)
            except GarageError:
                self._stop.wait(_TICK_S)
                self._look_whether_idle(None)
        return None

    def _fill(self, ready: Ready) -> None:
        if time.monotonic() < self._next_fill:
            return
        # Before models work for what could not be kept.
        ready.garage.graph.require_room()
        now = time.monotonic()
        resting = frozenset(slug for slug, rest in self._rests.items() if now < rest.until)
        self._is_embedding = True
        try:
            filled = backfill.fill(ready.garage, self._stop, resting=resting)
        finally:
            self._is_embedding = False
        for each in filled:
            self._rest(each, ready.garage.settings.maintenance.retry_s)
        waited = [rest.until for rest in self._rests.values()]
        self._next_fill = min([time.monotonic() + _FOREVER_S, *waited])

    def _rest(self, filled: Filled, retry_s: float) -> None:
        """Let a model that failed rest, longer each time; the others are not kept from theirs."""
        if not filled.error:
            self._rests.pop(filled.slug, None)
            return
        pause_s = self._rests[filled.slug].pause_s * 2 if filled.slug in self._rests else retry_s
        pause_s = min(pause_s, max(_LONGEST_S, retry_s))
        until = time.monotonic() + max(pause_s, filled.retry_after_s)
        self._rests[filled.slug] = _Rest(pause_s, until)

    def _look_whether_idle(self, ready: Ready | None) -> None:
        busy = self._is_embedding or (ready is not None and ready.runs.is_busy)
        if busy:
            return
        if self._idle_work and ready is not None and self._hall.idle_s > _QUIET_S:
            work = self._idle_work.pop()
            threading.Thread(target=_quietly, args=(work,), name="idle", daemon=True).start()
        if self._idle_s and self._hall.idle_s > self._idle_s:
            self._on_idle()


def _quietly(work: Callable[[], object]) -> None:
    """Do work that nobody waits for; a failure is told in the log and costs nothing."""
    try:
        work()
    except GarageError as error:
        _LOG.info("Left for another time: %s", error)
