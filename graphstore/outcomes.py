"""Outcomes and runs: what became of every file, and how each ingest run went."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from graphstore.errors import NotFound
from graphstore.records import Outcome
from graphstore.session import Graph, Row, Transaction

RunState = Literal["running", "done", "cancelled", "failed", "interrupted", "needs_confirmation"]


@dataclass(frozen=True, slots=True)
class Run:
    """One ingest run over one source."""

    uid: str
    source: str
    actor: str
    state: RunState
    started_at: datetime
    worker: str = ""
    """The service that runs it."""
    finished_at: datetime | None = None
    message: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Files by state of outcome, and `chunks`, `kept_chunks`, `documents`."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """An outcome as it is listed."""

    source: str
    path: str
    state: str
    reason: str
    documents: int
    chunks: int
    at: datetime


def known(graph: Graph, source: str) -> dict[str, Outcome]:
    """Return the last outcome of every file of a source, by path."""
    return {row["path"]: Outcome(**row) for row in graph.read("outcomes/known", source=source)}


def write(tx: Transaction, rows: Sequence[Row], run_uid: str, now: datetime) -> None:
    """Record outcomes in the transaction of their effect."""
    tx.run("outcomes/put", rows=list(rows), run=run_uid, now=now)


def outcome_row(source: str, outcome: Outcome) -> Row:
    """Return the properties of an outcome's node."""
    return {"key": f"{source}:{outcome.path}", "source": source, **asdict(outcome)}


def listed(
    graph: Graph, *, source: str | None = None, states: Sequence[str] | None = None, limit: int
) -> tuple[FileOutcome, ...]:
    """Return outcomes by source and path."""
    rows = graph.read(
        "outcomes/list", source=source, states=list(states) if states else None, limit=limit
    )
    return tuple(FileOutcome(**row) for row in rows)


def put_run(graph: Graph, run: Run) -> None:
    """Record how a run stands."""
    properties: dict[str, Any] = {
        key: value for key, value in asdict(run).items() if key not in {"uid", "counts"}
    }
    properties |= {f"count_{state}": number for state, number in run.counts.items()}
    graph.write(lambda tx: tx.run("runs/put", uid=run.uid, properties=properties))


def get_run(graph: Graph, uid: str) -> Run:
    """Return one run.

    Raises:
        NotFound: there is none.
    """
    rows = graph.read("runs/get", uid=uid)
    if not rows:
        raise NotFound(f"There is no ingest run '{uid}'.", hint="'garage log' lists what was done.")
    return _run(rows[0]["run"])


def runs(graph: Graph, *, source: str | None = None, limit: int = 20) -> tuple[Run, ...]:
    """Return runs, newest first."""
    return tuple(_run(row["run"]) for row in graph.read("runs/list", source=source, limit=limit))


def interrupt_runs(graph: Graph, worker: str, now: datetime) -> int:
    """Say of runs that `worker` left unfinished that they were interrupted; return how many."""
    return graph.write(lambda tx: tx.run("runs/interrupt", worker=worker, now=now))[0][
        "interrupted"
    ]


def _run(row: Row) -> Run:
    counts = {
        key.removeprefix("count_"): value for key, value in row.items() if key.startswith("count_")
    }
    return Run(
        uid=row["uid"],
        source=row["source"],
        actor=row["actor"],
        state=row["state"],
        started_at=row["started_at"],
        worker=row.get("worker", ""),
        finished_at=row.get("finished_at"),
        message=row.get("message", ""),
        counts=counts,
    )
