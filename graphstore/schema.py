"""Schema: versioned migrations from `cypher/schema`, applied under a lock; safe to apply twice.

A database that is newer than this code is refused and nothing is written to it.
"""

import hashlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from graphstore import predicates, queries
from graphstore.clock import Clock
from graphstore.errors import Conflict
from graphstore.session import Graph

_LOCK_HELD_AT_MOST_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class Migration:
    """One schema file: `NNN_name.cypher`."""

    version: int
    name: str
    checksum: str


def migrations() -> tuple[Migration, ...]:
    """Return the migrations that this code knows, in order."""
    return tuple(
        Migration(
            version=int(path.stem[:3]),
            name=path.stem,
            checksum=hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted((queries.ROOT / "schema").glob("[0-9][0-9][0-9]_*.cypher"))
    )


def apply(graph: Graph, clock: Clock) -> tuple[str, ...]:
    """Bring the database to the schema of this code; return the names of what was applied.

    Raises:
        Conflict: the database was written by a newer Garage.
        StoreUnavailable: another process kept the lock, or an index did not come online.
    """
    known = migrations()
    applied = _applied(graph)
    _refuse_newer(applied, known)
    if _is_complete(applied, known):
        # The usual start: nothing to do, so no lock to take. An index that fills is no reason to
        # wait: a search goes without it, and says so.
        return ()
    with alone(graph):
        applied = _applied(graph)
        _refuse_newer(applied, known)
        pending = [step for step in known if applied.get(step.version) != step.checksum]
        for step in pending:
            for statement in queries.statements(step.name):
                graph.schema(statement)
        if pending:
            predicates.register(graph, predicates.BUILTIN)
        # Recorded last: what is recorded is there, predicates included.
        for step in pending:
            _record(graph, step, clock)
    await_indexes(graph)
    return tuple(step.name for step in pending)


@contextmanager
def alone(graph: Graph) -> Generator[None]:
    """Hold the lock of schema work, across processes, for the block."""
    for statement in queries.statements("templates/lock"):
        graph.schema(statement)
    with graph.locked("schema/lock", at_most_s=_LOCK_HELD_AT_MOST_S):
        yield


def await_indexes(graph: Graph, timeout_s: int = 300) -> None:
    """Wait until every index is online."""
    for statement in queries.statements("templates/await_indexes"):
        graph.schema(statement, timeout_s=timeout_s)


def _record(graph: Graph, step: Migration, clock: Clock) -> None:
    now = clock.now()
    row = {"version": step.version, "name": step.name, "checksum": step.checksum, "now": now}
    graph.write(lambda tx: tx.run("schema/record", **row))


def _applied(graph: Graph) -> dict[int, str]:
    return {row["version"]: row["checksum"] for row in graph.read("schema/versions")}


def _is_complete(applied: Mapping[int, str], known: tuple[Migration, ...]) -> bool:
    return all(applied.get(step.version) == step.checksum for step in known)


def _refuse_newer(applied: Mapping[int, str], known: tuple[Migration, ...]) -> None:
    newest = known[-1].version
    stored = max(applied, default=0)
    if stored > newest:
        message = f"The database has schema {stored}; this Garage knows schemas up to {newest}."
        raise Conflict(message, hint="Update Garage, or point it at another database.")
