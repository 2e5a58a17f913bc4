"""The queue as its owner sees it: what waits, what failed, what is tried again or dropped."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from api.ops import cursors, order
from api.ops.choices import one_of
from api.ops.garage import Caller, Garage, activity
from graphstore import jobs, queue_care
from graphstore.errors import InvalidInput, NotFound
from graphstore.jobs import Counts, Entry, KindCount, State
from graphstore.queue_care import Chosen

MAX_PAGE: Final = 100
MAX_UIDS: Final = 1_000
_WARMING_SEARCHES: Final = 1_000
_WARMING_DAYS: Final = 7


@dataclass(frozen=True, slots=True)
class Page:
    """A page of jobs, in the order of work."""

    jobs: tuple[Entry, ...]
    next_cursor: str | None
    """Where the next page begins; None = this is the last."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How the queue stands."""

    counts: Counts
    kinds: tuple[KindCount, ...]
    unworked: tuple[str, ...]
    """Kinds in the queue that nothing works yet; their jobs wait."""


def listed(
    garage: Garage, state: str | None, kind: str | None, first: int, after: str | None
) -> Page:
    """Return a page of jobs: of one state, or of all but those that are done.

    Raises:
        InvalidInput: an argument is outside its limits.
    """
    if not 1 <= first <= MAX_PAGE:
        raise InvalidInput(f"first is {first}.", hint=f"Ask for 1 to {MAX_PAGE}.")
    place = cursors.decoded(after, "endCursor", int) if after is not None else jobs.FIRST
    found = jobs.listed(garage.graph, _state(state), _kind(garage, kind), place, first + 1)
    last = found[first - 1] if len(found) > first else None
    return Page(found[:first], cursor(last) if last else None)


def get(garage: Garage, uid: str) -> Entry:
    """Return one job.

    Raises:
        NotFound: there is none.
    """
    return jobs.get(garage.graph, uid)


def counts(garage: Garage) -> Counts:
    """Return how many jobs there are by state."""
    return jobs.counts(garage.graph)


def standing(garage: Garage) -> Standing:
    """Return how the queue stands; it counts the kinds, which takes a while when it is long."""
    found = jobs.kinds(garage.graph)
    worked = {handler.kind for handler in garage.handlers}
    unworked = {each.kind for each in found if each.kind not in worked}
    return Standing(jobs.counts(garage.graph), found, tuple(sorted(unworked)))


def cursor(entry: Entry) -> str:
    """Return the place of a job in lists."""
    rank, uid = entry.place
    return cursors.encoded(str(rank), uid)


def retry(garage: Garage, caller: Caller, chosen: Chosen) -> int:
    """Have jobs that failed worked on again, or those named; return how many.

    Raises:
        InvalidInput: too many are named, or there is no such kind.
        NotFound: one that is named is not there; then none is tried again.
    """
    log = activity(garage, caller, "retry-jobs")
    return queue_care.retry(garage.graph, _checked(garage, chosen), log)


def drop(garage: Garage, caller: Caller, chosen: Chosen) -> int:
    """Remove jobs; what they were to do is not done. Return how many.

    Raises:
        InvalidInput: too many are named, or there is no such kind.
        NotFound: one that is named is not there; then none is dropped.
    """
    log = activity(garage, caller, "drop-jobs")
    return queue_care.drop(garage.graph, _checked(garage, chosen), log)


def chosen(uids: tuple[str, ...], state: str | None, kind: str | None) -> Chosen:
    """Return which jobs are meant.

    Raises:
        InvalidInput: the state is none, or jobs are named and a kind, too.
    """
    if uids and kind is not None:
        message = "Jobs are named, and a kind, too."
        raise InvalidInput(message, hint="Name jobs, or choose them by what they are.")
    return Chosen(uids, _state(state) or "failed", kind)


def warm(garage: Garage) -> int:
    """Move forward the jobs of documents that were found of late; return how many moved."""
    now, settings = garage.clock.now(), garage.settings.work
    ranks: dict[str, int] = {}
    since = now - timedelta(days=_WARMING_DAYS)
    for each in queue_care.warmths(garage.graph, since, _WARMING_SEARCHES):
        warmed = (each.hits, each.memories)
        heat = order.heat(each.mtime, each.trust, now, settings, warmed)
        for uid, rank in each.ranks.items():
            ranks[uid] = order.rank(rank // order.BAND, heat, now, settings)
    return queue_care.move_forward(garage.graph, ranks)


def _checked(garage: Garage, chosen: Chosen) -> Chosen:
    if len(chosen.uids) > MAX_UIDS:
        message = f"{len(chosen.uids):,} jobs are named."
        raise InvalidInput(message, hint=f"Name at most {MAX_UIDS:,}, or choose by state and kind.")
    if missing := queue_care.missing(garage.graph, chosen.uids):
        message = f"There is no job '{missing[0]}'; nothing was changed."
        raise NotFound(message, hint="'garage jobs' lists them.")
    _kind(garage, chosen.kind)
    return chosen


def _kind(garage: Garage, kind: str | None) -> str | None:
    """Return a kind of jobs, as long as there may be jobs of it."""
    known = {*order.KINDS, *(handler.kind for handler in garage.handlers)}
    if kind is None or kind in known:
        return kind
    return one_of("kind", kind, sorted(known | {each.kind for each in jobs.kinds(garage.graph)}))


def _state(state: str | None) -> State | None:
    return None if state is None else one_of("state", state, jobs.STATES)
