"""Stats and log: how much there is, what is pending and why, and who wrote what."""

from dataclasses import dataclass
from typing import Final, get_args

from api.ops.garage import Garage
from graphstore import embedding_models, jobs, journal, outcomes, reading, sources
from graphstore.clock import is_uid
from graphstore.errors import InvalidInput
from graphstore.jobs import Counts
from graphstore.journal import Activity
from graphstore.outcomes import FileOutcome, Run
from graphstore.records import OutcomeState

MAX_LOG: Final = 500
MAX_FILES: Final = 1_000
MAX_RUNS: Final = 100


@dataclass(frozen=True, slots=True)
class ModelStats:
    """One embedding model."""

    name: str
    slug: str
    state: str
    dimensions: int
    pending: int
    refused: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Stats:
    """How much of everything there is."""

    sources: int
    documents: int
    chunks: int
    pending: int
    """Chunks that wait for the vector of at least one model."""
    authors: int
    searches: int
    activities: int
    jobs: Counts
    """How the queue stands."""
    models: tuple[ModelStats, ...]


def stats(garage: Garage) -> Stats:
    """Return how much of everything there is."""
    models = tuple(
        ModelStats(
            name=model.name,
            slug=model.slug,
            state=model.state,
            dimensions=model.dimensions,
            pending=pending.pending,
            refused=pending.refused,
            error=model.error,
        )
        for model in embedding_models.listed(garage.graph)
        for pending in [embedding_models.pending(garage.graph, model)]
    )
    waiting = jobs.counts(garage.graph)
    return Stats(**reading.counts(garage.graph), jobs=waiting, models=models)


def log(
    garage: Garage,
    *,
    verb: str | None = None,
    actor: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> tuple[Activity, ...]:
    """Return the activity log, newest first; `before` is the uid of the last entry seen.

    Raises:
        InvalidInput: `limit` is outside 1 to 500, or `before` is no uid.
    """
    _within("limit", limit, MAX_LOG)
    if before is not None and not is_uid(before):
        message = f"before is '{before}', which is no uid."
        raise InvalidInput(message, hint="Pass on the uid of the last entry of the page before.")
    return journal.entries(garage.graph, verb=verb, actor=actor, before=before, limit=limit)


def files(
    garage: Garage, source: str | None = None, states: tuple[str, ...] = (), limit: int = 1_000
) -> tuple[FileOutcome, ...]:
    """Return what became of files, by source and path.

    Raises:
        InvalidInput: `limit` is outside 1 to 1,000, or a state is none.
    """
    _within("limit", limit, MAX_FILES)
    if source is not None:
        sources.get(garage.graph, source)
    known = get_args(OutcomeState)
    for state in states:
        if state not in known:
            raise InvalidInput(f"'{state}' is no outcome.", hint=f"It may be: {', '.join(known)}.")
    return outcomes.listed(garage.graph, source=source, states=states, limit=limit)


def runs(garage: Garage, source: str | None = None, limit: int = 20) -> tuple[Run, ...]:
    """Return ingest runs, newest first.

    Raises:
        InvalidInput: `limit` is outside 1 to 100.
    """
    _within("limit", limit, MAX_RUNS)
    if source is not None:
        sources.get(garage.graph, source)
    return outcomes.runs(garage.graph, source=source, limit=limit)


def run(garage: Garage, uid: str) -> Run:
    """Return one ingest run.

    Raises:
        NotFound: there is none.
    """
    return outcomes.get_run(garage.graph, uid)


def _within(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InvalidInput(f"{name} is {value}.", hint=f"Ask for 1 to {most:,}.")
