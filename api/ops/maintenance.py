"""Maintenance: what the service does by itself. Every source is ingested again; old logs go."""

from dataclasses import dataclass
from datetime import timedelta

from api.ops.garage import SERVICE, Garage
from api.ops.runs import Runs
from graphstore import search_log, sources
from graphstore.outcomes import Run


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of maintenance began."""

    runs: tuple[Run, ...]
    purged_searches: int


def once(garage: Garage, runs: Runs) -> Round:
    """Begin a run over every source and forget searches past their retention.

    Files that vanished in numbers are never removed by a round: that asks a person.
    """
    started = tuple(runs.start(SERVICE, source.slug) for source in sources.listed(garage.graph))
    days = garage.settings.search.log_retention_days
    purged = search_log.purge(garage.graph, garage.clock.now() - timedelta(days=days))
    return Round(started, purged)
