"""Stats: how much of everything there is, and what waits."""

import strawberry

from api.graphql.types import described, shown
from api.ops import stats as ops_stats


@strawberry.type(description="How many jobs there are, those that are done left out.")
class JobCounts:
    """How many jobs there are."""

    queued: int = described("May be worked on now.")
    waiting: int = described("Wait for their time.")
    running: int = described("Are worked on.")
    failed: int = described("Were given up.")


@strawberry.type(description="One embedding model.")
class ModelStats:
    """One embedding model."""

    name: str = described("Its name.")
    slug: str = described("Its short name.")
    state: str = described("filling or active.")
    dimensions: int = described("Length of its vectors.")
    pending: int = described("Texts that wait for a vector.")
    refused: int = described("Texts that it cannot take.")
    error: str | None = described("Why texts wait, when its provider failed.")


@strawberry.type(description="How much of everything there is.")
class Stats:
    """How much of everything there is."""

    sources: int = described("Sources.")
    documents: int = described("Documents.")
    chunks: int = described("Chunks.")
    pending: int = described("Chunks that wait for the vector of at least one model.")
    authors: int = described("Authors.")
    searches: int = described("Searches in the log.")
    activities: int = described("Writes in the activity log.")
    jobs: JobCounts = described("How the queue stands.")
    models: list[ModelStats] = described("Embedding models.")


def stats(record: ops_stats.Stats) -> Stats:
    """Return stats as the schema shows them."""
    models = [shown(ModelStats, model) for model in record.models]
    return shown(Stats, record, jobs=shown(JobCounts, record.jobs), models=models)
