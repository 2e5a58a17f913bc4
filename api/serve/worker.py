"""The worker: what the service does by itself. It embeds what is pending and runs maintenance.

It also notices that nobody needs the service any more. One thread; every wait has an end.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from api.ops import backfill, maintenance
from api.ops.garage import Stop
from api.ops.hall import Hall, Ready
from graphstore.errors import GarageError

_LOG: Final = logging.getLogger(__name__)
_TICK_S: Final = 1.0
_FOREVER_S: Final = 600.0
"""Seconds until a look for pending texts that nobody announced."""
_QUIET_S: Final = 20.0
"""Seconds without a client until work that can wait is begun."""


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

    def close(self, timeout_s: float = 15.0) -> None:
        """Stop after the batch at hand and wait for it."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        next_round = 0.0
        while ready := self._parts():
            interval_s = ready.garage.settings.maintenance.interval_minutes * 60
            next_round = next_round or time.monotonic() + interval_s
            try:
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
        settings = ready.garage.settings.maintenance
        self._is_embedding = True
        try:
            filled = backfill.fill(ready.garage, self._stop)
        finally:
            self._is_embedding = False
        failed = any(each.error for each in filled)
        self._next_fill = time.monotonic() + (settings.retry_s if failed else _FOREVER_S)

    def _look_whether_idle(self, ready: Ready | None) -> None:
        busy = self._is_embedding or (ready is not None and ready.runs.is_busy)
        if busy:
            return
        if self._idle_work and self._hall.idle_s > _QUIET_S:
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
