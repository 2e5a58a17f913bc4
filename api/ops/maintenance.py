"""Maintenance: what the service does by itself. Every source is ingested again.

Old logs go, and memories that faded are archived.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from api.ops import forgetting
from api.ops.forgetting import Swept
from api.ops.garage import SERVICE, Garage
from api.ops.runs import Runs
from graphstore import search_log, sources
from graphstore.errors import Conflict, NotFound
from graphstore.outcomes import Run


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of maintenance began."""

    runs: tuple[Run, ...]
    purged_searches: int
    swept: Swept
    """What became of memories that fade."""


def once(garage: Garage, runs: Runs) -> Round:
    """Begin a run over every source that is read by itself; sweep searches and memories of old.

    Files that vanished in numbers are never removed by a round: that asks a person.
    """
    started: list[Run] = []
    for source in sources.listed(garage.graph):
        # Removed since it was listed: the others are read all the same.
        with suppress(NotFound, Conflict):
            started += [runs.start(SERVICE, source.slug)] if source.automatic else []
    days = garage.settings.search.log_retention_days
    purged = search_log.purge(garage.graph, garage.clock.now() - timedelta(days=days))
    return Round(tuple(started), purged, forgetting.sweep(garage))
