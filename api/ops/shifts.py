"""Shifts: the queue is worked in the background of the service, with progress, for a while.

A shift is known as long as the service runs; what it did is in the graph, job by job.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal

from api.ops import jobs, work
from api.ops.feed import Feed
from api.ops.garage import Caller, Garage
from api.ops.stopping import Stop
from api.ops.work import Progress, Request
from graphstore.clock import new_uid
from graphstore.errors import Conflict, GarageError, InvalidInput, NotFound

_AT_ONCE: Final = 4
_KEPT: Final = 100
MAX_BUDGET_S: Final = 86_400.0

State = Literal["running", "done", "stopped", "out_of_time", "failed"]


@dataclass(frozen=True, slots=True)
class Shift:
    """A time of work on the queue."""

    uid: str
    actor: str
    state: State
    started_at: datetime
    finished_at: datetime | None = None
    message: str = ""
    """Why it failed."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Jobs by what became of them."""


Event = Progress | Shift
"""What a follower hears: progress, and at last the shift as it ended."""


@dataclass(slots=True)
class _Running:
    shift: Shift
    stop: Stop
    feed: Feed[Event]
    thread: threading.Thread | None = None

    @property
    def is_alive(self) -> bool:
        return not isinstance(self.feed.last, Shift)


class Shifts:
    """The shifts of one service. Thread-safe."""

    def __init__(self, garage: Garage, worker: str) -> None:
        self._garage = garage
        self._worker = worker
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}

    @property
    def is_busy(self) -> bool:
        """Whether a shift is under way."""
        with self._lock:
            return any(each.is_alive for each in self._running.values())

    def start(
        self, caller: Caller, kinds: tuple[str, ...] = (), budget_s: float | None = None
    ) -> Shift:
        """Begin to work the queue.

        Raises:
            InvalidInput: nothing works a kind that is wanted, or the budget is outside its limits.
            Conflict: as many shifts as may be at once are under way.
        """
        work.kinds(self._garage, kinds)
        if budget_s is not None and not 0 < budget_s <= MAX_BUDGET_S:
            message = f"The budget is {budget_s:g} s."
            raise InvalidInput(message, hint="More than nothing, and at most a day.")
        now = self._garage.clock.now()
        shift = Shift(new_uid(), caller.name, "running", now)
        running = _Running(shift, Stop(), Feed(Progress(0, 0, "", "", {})))
        with self._lock:
            if sum(each.is_alive for each in self._running.values()) >= _AT_ONCE:
                message = f"The queue is worked by {_AT_ONCE} already."
                raise Conflict(message, hint="Wait for one of them to end.")
            self._running[shift.uid] = running
            self._forget_old()
        running.thread = threading.Thread(
            target=self._go, args=(running, caller, kinds, budget_s), name="shift", daemon=True
        )
        running.thread.start()
        return shift

    def cancel(self, uid: str) -> Shift:
        """Ask a shift to stop; jobs at hand are given back.

        Raises:
            NotFound: no such shift is under way.
        """
        running = self._found(uid)
        if not running.is_alive:
            raise self._none(uid)
        running.stop.set()
        return running.shift

    def follow(self, uid: str, heartbeat_s: float = 5.0) -> Iterator[Event]:
        """Yield the events of a shift until it has ended; the last progress as a heartbeat.

        Raises:
            NotFound: there is no such shift.
        """
        running = self._found(uid)
        for event in running.feed.follow(heartbeat_s):
            yield event
            if isinstance(event, Shift):
                return

    def stop(self) -> None:
        """Ask every shift to stop."""
        with self._lock:
            running = list(self._running.values())
        for each in running:
            each.stop.set()

    def close(self, timeout_s: float = 3.0) -> None:
        """Ask every shift to stop and wait a moment; the jobs of one that does not run out."""
        self.stop()
        with self._lock:
            threads = [each.thread for each in self._running.values() if each.thread]
        for thread in threads:
            thread.join(timeout_s)

    def _go(
        self, running: _Running, caller: Caller, kinds: tuple[str, ...], budget_s: float | None
    ) -> None:
        ended = replace(
            running.shift, state="failed", message="It ended by an error of Garage; see the log."
        )
        last: list[Progress] = []

        def report(progress: Progress) -> None:
            last[:] = [progress]
            running.feed.tell(progress)

        request = Request(
            kinds=kinds,
            budget_s=budget_s,
            workers=self._garage.settings.work.workers,
            stop=running.stop,
            report=report,
            name=self._worker,
        )
        try:
            jobs.warm(self._garage)
            done = work.work(self._garage, caller, request)
            ended = replace(running.shift, state=done.state, counts=done.counts)
        except GarageError as error:
            ended = replace(running.shift, state="failed", message=str(error))
        finally:
            if ended.state == "failed" and last:
                ended = replace(ended, counts=last[0].counts)
            running.feed.tell(replace(ended, finished_at=self._garage.clock.now()))

    def _found(self, uid: str) -> _Running:
        with self._lock:
            running = self._running.get(uid)
        if running is None:
            raise self._none(uid)
        return running

    def _none(self, uid: str) -> NotFound:
        message = f"No work on the queue '{uid}' is under way."
        return NotFound(message, hint="'garage jobs' shows what waits.")

    def _forget_old(self) -> None:
        ended = [uid for uid, each in self._running.items() if not each.is_alive]
        for uid in ended[: max(0, len(ended) - _KEPT)]:
            del self._running[uid]
