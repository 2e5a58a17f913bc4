"""Runs: ingest runs in the background of the service, with progress, one at a time a source.

The work on the queue, which goes on beside them, begins and ends with them.
"""

import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from api.ops import ingest
from api.ops.garage import Caller, Garage, Stop
from api.ops.ingest import Progress
from api.ops.shifts import Shifts
from graphstore import outcomes
from graphstore.errors import GarageError, NotFound
from graphstore.outcomes import Run

Event = Progress | Run
"""What a follower hears: progress, and at last the run as it ended."""

_KEPT = 100


@dataclass(slots=True)
class _Running:
    run: Run
    stop: Stop
    followers: list["queue.SimpleQueue[Event]"] = field(
        default_factory=list["queue.SimpleQueue[Event]"]
    )
    last: Event | None = None
    thread: threading.Thread | None = None


class Runs:
    """The runs of one service. Thread-safe."""

    def __init__(self, garage: Garage, worker: str) -> None:
        self._garage = garage
        self._worker = worker
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._untold: dict[str, Run] = {}
        """Runs whose end the graph has not heard of."""
        self.shifts = Shifts(garage, worker)
        """The work on the queue."""

    @property
    def is_busy(self) -> bool:
        """Whether a run is under way, or work on the queue."""
        with self._lock:
            is_running = any(_is_alive(each) for each in self._running.values())
        return is_running or self.shifts.is_busy

    def start(
        self, caller: Caller, slug: str, *, confirm: bool = False, accept_missing_root: bool = False
    ) -> Run:
        """Begin a run over a source; when one is under way, return that one.

        Raises:
            NotFound: there is no such source.
            Conflict: it is being removed, or it is the source `kept`.
        """
        run = ingest.new_run(self._garage, caller, slug, self._worker)
        with self._lock:
            for other in self._running.values():
                if other.run.source == slug and _is_alive(other):
                    return other.run
            running = _Running(run, Stop())
            self._running[run.uid] = running
            self._forget_old()
        running.thread = threading.Thread(
            target=self._go,
            args=(running, caller, (confirm, accept_missing_root)),
            name=f"ingest-{slug}",
            daemon=True,
        )
        running.thread.start()
        return run

    def cancel(self, uid: str) -> Run:
        """Ask a run to stop; it ends after the file it is at.

        Raises:
            NotFound: no such run is under way.
        """
        with self._lock:
            running = self._running.get(uid)
        if running is None or not _is_alive(running):
            message = f"No ingest run '{uid}' is under way."
            raise NotFound(message, hint="'garage sources' shows the last runs.")
        running.stop.set()
        return running.run

    def halt(self, slug: str, timeout_s: float) -> bool:
        """Stop the run over a source and wait for its end; return whether there was one."""
        with self._lock:
            found = [e for e in self._running.values() if e.run.source == slug and _is_alive(e)]
        for running in found:
            running.stop.set()
        deadline = time.monotonic() + timeout_s
        for running in found:
            if running.thread is not None:
                running.thread.join(max(0.0, deadline - time.monotonic()))
        return bool(found)

    def follow(self, uid: str, heartbeat_s: float = 5.0) -> Iterator[Event]:
        """Yield the events of a run until it has ended; the last progress again as a heartbeat.

        Raises:
            NotFound: there is no such run.
        """
        with self._lock:
            running = self._running.get(uid)
            events: queue.SimpleQueue[Event] = queue.SimpleQueue()
            if running is not None:
                if running.last is not None:
                    events.put(running.last)
                running.followers.append(events)
        if running is None:
            yield outcomes.get_run(self._garage.graph, uid)
            return
        try:
            yield from self._events(running, events, heartbeat_s)
        finally:
            with self._lock:
                running.followers.remove(events)

    def settle(self) -> None:
        """Record the end of runs that ended while the graph could not be written.

        Raises:
            StoreUnavailable: it still cannot.
        """
        with self._lock:
            untold = list(self._untold.values())
        for run in untold:
            outcomes.put_run(self._garage.graph, run)
            with self._lock:
                del self._untold[run.uid]

    def stop(self) -> None:
        """Ask every run to stop; each ends after the file it is at, and the work on the queue."""
        self.shifts.stop()
        with self._lock:
            running = list(self._running.values())
        for each in running:
            each.stop.set()

    def close(self, timeout_s: float = 3.0) -> None:
        """Ask every run to stop and wait a moment for them; one that does not is interrupted."""
        self.stop()
        with self._lock:
            running = list(self._running.values())
        for each in running:
            if each.thread is not None:
                each.thread.join(timeout_s)
        self.shifts.close(timeout_s)

    def _events(
        self, running: _Running, events: "queue.SimpleQueue[Event]", heartbeat_s: float
    ) -> Iterator[Event]:
        while True:
            try:
                event = events.get(timeout=heartbeat_s)
            except queue.Empty:
                event = running.last
            # Also before the first report: a follower can only leave when it is spoken to.
            yield event or Progress(running.run.uid, running.run.source, 0, 0, "", {})
            if isinstance(event, Run):
                return

    def _go(self, running: _Running, caller: Caller, accepts: tuple[bool, bool]) -> None:
        def report(event: Event) -> None:
            with self._lock:
                running.last = event
                for follower in running.followers:
                    follower.put(event)

        confirm, missing = accepts
        request = ingest.Request(running.run, confirm, report, running.stop, missing)
        try:
            report(ingest.ingest(self._garage, caller, request))
        except GarageError as error:
            report(self._fail(running.run, str(error)))
        finally:
            if _is_alive(running):
                # A fault of ours, which the thread reports: the source must not stay taken.
                message = "The run ended by an error of Garage; see the log."
                report(self._fail(running.run, message))

    def _fail(self, run: Run, message: str) -> Run:
        """Return a run as failed, and keep that to be recorded: the graph may be away."""
        now = self._garage.clock.now()
        with self._lock:
            last = self._running[run.uid].last
            # What was stored before is stored, and is told.
            counts = last.counts if isinstance(last, Progress) else run.counts
            failed = replace(
                run, state="failed", message=message, finished_at=now, counts=dict(counts)
            )
            self._untold[run.uid] = failed
        return failed

    def _forget_old(self) -> None:
        ended = [uid for uid, each in self._running.items() if isinstance(each.last, Run)]
        for uid in ended[: max(0, len(ended) - _KEPT)]:
            del self._running[uid]


def _is_alive(running: _Running) -> bool:
    return not isinstance(running.last, Run)
