"""Work: the queue is worked until nothing is ready, the time is over, or somebody stops it.

A worker claims one job at a time and has its handler read the text with no transaction open; what
that makes of it is written together with the end of the job, or not at all. A job whose text
changed is dropped: the new text has a job of its own. What fails is tried again later, at longer
and longer distances, and given up after a few times. A worker that dies loses nothing: its lease
runs out, and another takes the job.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal

from api.ops import defects, distilling
from api.ops.garage import Caller, Garage, activity
from api.ops.handling import Handler, Subject
from api.ops.leases import Lease
from api.ops.stopping import Deadline, Stop, Within
from extraction.errors import ProviderBusy
from graphstore import claims, jobs, reading
from graphstore.claims import Claim, Claimant
from graphstore.clock import new_uid
from graphstore.errors import (
    Cancelled,
    GarageError,
    InvalidInput,
    LeaseLost,
    StoreUnavailable,
    Unavailable,
)

State = Literal["done", "stopped", "out_of_time"]
_FIRST_PAUSE_S: Final = 30.0
_LONGEST_PAUSE_S: Final = 3_600.0
_FOREVER_S: Final = 1e9


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is."""

    done: int
    total: int
    """Jobs that were ready at the beginning, or that were worked on since."""
    kind: str
    document: str
    """Address of the document at hand."""
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be worked on, for how long, by how many, and who hears of it."""

    kinds: tuple[str, ...] = ()
    """Empty = all that something works."""
    budget_s: float | None = None
    workers: int = 1
    stop: Stop = field(default_factory=Stop)
    report: Callable[[Progress], None] = lambda _: None
    name: str = "garage"
    """Of the worker, as jobs tell who has them."""
    renew_s: float = claims.RENEW_S


@dataclass(frozen=True, slots=True)
class Worked:
    """What the work came to."""

    state: State
    counts: Mapping[str, int]
    """Jobs that are done, stale, deferred, failed, stopped, or were lost to another worker."""


def kinds(garage: Garage, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds to work: those wanted, or all that something works.

    Raises:
        InvalidInput: nothing works one of them.
    """
    there = tuple(handler.kind for handler in garage.handlers)
    for kind in wanted:
        if kind not in there:
            known = ", ".join(there) or "nothing yet"
            message = f"Nothing works jobs of the kind '{kind}'."
            raise InvalidInput(message, hint=f"What is worked: {known}. Others wait in the queue.")
    return wanted or there


def work(garage: Garage, caller: Caller, request: Request) -> Worked:
    """Work the queue; return once nothing is ready, the time is over, or it was stopped.

    Raises:
        InvalidInput: nothing works a kind that is wanted.
        StoreUnavailable: the graph went away; what was written before is written.
    """
    wanted = kinds(garage, request.kinds)
    over = Within(_FOREVER_S if request.budget_s is None else request.budget_s, request.stop)
    if not wanted:
        return Worked("done", {})
    claims.tidy(garage.graph, garage.clock.now())
    if distilling.KIND in wanted:
        distilling.catch_up(garage)
    shared = _Shared(garage, wanted, over, request)
    with ThreadPoolExecutor(request.workers, thread_name_prefix="work") as threads:
        workers = [_Worker(shared, caller, number) for number in range(request.workers)]
        ended = [threads.submit(worker.run) for worker in workers]
    for each in ended:
        each.result()
    stopped: State = "stopped" if request.stop.is_set() else "out_of_time"
    return Worked(stopped if over.is_set() else "done", dict(shared.counts))


def backoff_s(deferrals: int, chance: float) -> float:
    """Return how long a job waits that was put off so often: doubled each time, up to an hour.

    `chance`, from 0 to 1, spreads what was put off together.
    """
    pause_s = min(_FIRST_PAUSE_S * 2.0 ** min(deferrals, 20), _LONGEST_PAUSE_S)
    return pause_s * (0.75 + chance / 2)


class _Shared:
    """What the workers of one run have in common. Thread-safe."""

    def __init__(
        self, garage: Garage, wanted: tuple[str, ...], over: Deadline, request: Request
    ) -> None:
        self.garage = garage
        self.handlers: dict[str, Handler] = {h.kind: h for h in garage.handlers}
        self.over = over
        self.request = request
        self.counts: Counter[str] = Counter()
        self._kinds = wanted
        self._total = jobs.ready(garage.graph, wanted)
        self._lock = threading.Lock()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that may be claimed now."""
        with self._lock:
            return self._kinds

    def rest(self, kind: str) -> None:
        """Leave a kind alone for the rest of the run, and all that ask the same model."""
        is_model = self.handlers[kind].is_model
        with self._lock:
            self._kinds = tuple(
                each
                for each in self._kinds
                if each != kind and not (is_model and self.handlers[each].is_model)
            )

    def begin(self, kind: str, document: str) -> None:
        """Tell what is worked on now."""
        self.request.report(self._progress(kind, document))

    def end(self, outcome: str) -> None:
        """Count a job."""
        with self._lock:
            self.counts[outcome] += 1
        self.request.report(self._progress("", ""))

    def _progress(self, kind: str, document: str) -> Progress:
        with self._lock:
            done = self.counts.total()
            return Progress(done, max(self._total, done), kind, document, dict(self.counts))


class _Worker:
    """One thread of work."""

    def __init__(self, shared: _Shared, caller: Caller, number: int) -> None:
        self._shared = shared
        self._garage = shared.garage
        self._claimant = Claimant(f"{shared.request.name}/{number}")
        self._log = activity(shared.garage, caller, "work")

    def run(self) -> None:
        """Work until there is nothing to do."""
        try:
            while not self._shared.over.is_set() and self._next():
                pass
        except BaseException:
            # The others would meet the same: nothing is begun any more.
            self._shared.over.set()
            raise

    def _next(self) -> bool:
        """Work one job; return whether there may be more."""
        graph = self._garage.graph
        claim = claims.claim(
            graph, self._claimant, self._shared.kinds, new_uid(), self._garage.chance
        )
        if claim is None:
            return claims.tidy(graph, self._garage.clock.now()) > 0
        stop = Within(_FOREVER_S, self._shared.over)
        with Lease(graph, claim, stop, self._shared.request.renew_s):
            self._shared.end(self._done(claim, stop))
        return True

    def _done(self, claim: Claim, stop: Stop) -> str:
        """Do a job; return what became of it."""
        try:
            return self._result(claim, stop)
        except StoreUnavailable:
            raise
        except LeaseLost:
            return "lost"
        except Cancelled:
            claims.release(self._garage.graph, claim)
            return "stopped"
        except Unavailable as error:
            return self._put_off(claim, error)
        except GarageError as error:
            return self._try_later(claim, str(error))
        except Exception as error:  # the one place of the worker that catches everything
            unique = new_uid()
            defects.log(unique, f"job {claim.kind}", error)
            return self._try_later(claim, defects.told(unique))

    def _result(self, claim: Claim, stop: Stop) -> str:
        graph = self._garage.graph
        subject = self._subject(claim)
        if subject is None:
            claims.discard(graph, claim)
            return "stale"
        self._shared.begin(claim.kind, subject.document.uri)
        effect = self._shared.handlers[claim.kind].run(subject, stop)
        now = self._garage.clock.now()
        log = claims.finish(graph, claim, effect, self._log, now)
        self._log = log or self._log
        return "done" if log else "stale"

    def _subject(self, claim: Claim) -> Subject | None:
        """Return what a job is about, as long as that is what its document says."""
        uid = claims.subject(self._garage.graph, claim)
        found = reading.details(self._garage.graph, [uid]) if uid else ()
        if not found:
            return None
        pieces = reading.chunks(self._garage.graph, found[0].uid)
        text = "".join(piece.text for piece in pieces)
        # Read after the address: the text may have changed in between.
        is_same = sha256(text.encode()).hexdigest() == claim.content_sha256
        return Subject(found[0], text, pieces) if is_same else None

    def _put_off(self, claim: Claim, error: Unavailable) -> str:
        """Have a job wait for what it needs; its kind is left alone meanwhile."""
        self._shared.rest(claim.kind)
        asked_s = error.retry_after_s if isinstance(error, ProviderBusy) else 0.0
        pause_s = max(backoff_s(claim.deferrals, self._garage.chance()), asked_s)
        claims.defer(self._garage.graph, claim, pause_s, str(error), counts=False)
        return "deferred"

    def _try_later(self, claim: Claim, why: str) -> str:
        if claim.attempts >= claims.MAX_ATTEMPTS:
            claims.fail(self._garage.graph, claim, why, self._garage.clock.now())
            return "failed"
        pause_s = backoff_s(claim.deferrals, self._garage.chance())
        claims.defer(self._garage.graph, claim, pause_s, why, counts=True)
        return "deferred"
