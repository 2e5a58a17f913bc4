"""Maintenance: what the service does by itself. Every source is ingested again.

Old logs go, memories that faded are archived, and the queue is worked for a while.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from api.ops import distilling, forgetting
from api.ops.forgetting import Swept
from api.ops.garage import SERVICE, Garage
from api.ops.runs import Runs
from api.ops.shifts import Shift, Shifts
from graphstore import jobs, queue_care, search_log, sources
from graphstore.errors import Conflict, NotFound
from graphstore.outcomes import Run


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of maintenance began."""

    runs: tuple[Run, ...]
    purged_searches: int
    swept: Swept
    """What became of memories that fade."""
    purged_jobs: int = 0
    shift: Shift | None = None
    """The work on the queue that was begun."""


def once(garage: Garage, runs: Runs) -> Round:
    """Begin a run over every source that is read by itself, and to work the queue; sweep the old.

    Files that vanished in numbers are never removed by a round: that asks a person.
    """
    started: list[Run] = []
    for source in sources.listed(garage.graph):
        # Removed since it was listed: the others are read all the same.
        with suppress(NotFound, Conflict):
            started += [runs.start(SERVICE, source.slug)] if source.automatic else []
    days = garage.settings.search.log_retention_days
    purged = search_log.purge(garage.graph, garage.clock.now() - timedelta(days=days))
    done_before = garage.clock.now() - timedelta(days=garage.settings.work.keep_days)
    forgotten = queue_care.purge(garage.graph, done_before)
    shift = _work(garage, runs.shifts)
    return Round(tuple(started), purged, forgetting.sweep(garage), forgotten, shift)


def _work(garage: Garage, shifts: Shifts) -> Shift | None:
    """Begin to work the queue, unless nothing may be ready or it is worked already."""
    budget_s = garage.settings.work.budget_s
    if not budget_s or not garage.handlers or shifts.is_busy:
        return None
    counts = jobs.counts(garage.graph)
    is_idle = not (counts.queued or counts.waiting or counts.running)
    # Work that is begun catches up by itself; it need not be looked for twice.
    if is_idle and not distilling.catch_up(garage):
        return None
    return shifts.start(SERVICE, budget_s=budget_s)
