"""Orphans: what no healthy graph holds, a kind for each query of `cypher/queries/doctor`."""

from typing import Final

import neo4j

from graphstore import queries
from graphstore.session import Graph

LIMIT: Final = 20
_OF_ENDED_RUNS: Final = frozenset({"doctor/outcome_counts", "doctor/documents_without_outcome"})
"""What holds only once a run has ended: a mailbox is stored message by message."""


def names() -> tuple[str, ...]:
    """Return the names of the doctor's queries."""
    folder = queries.ROOT / "queries" / "doctor"
    return tuple(f"doctor/{path.stem}" for path in sorted(folder.glob("*.cypher")))


def orphans(graph: Graph) -> dict[str, list[str]]:
    """Return what is wrong with the graph, by query; empty = nothing."""
    with graph.driver.session(database=graph.database) as session:
        return orphans_in(session)


def torn(graph: Graph) -> dict[str, list[str]]:
    """Return what must not be there even when a run was broken off."""
    return {name: found for name, found in orphans(graph).items() if name not in _OF_ENDED_RUNS}


def orphans_in(runner: neo4j.Session | neo4j.Transaction) -> dict[str, list[str]]:
    """Return the same, as an open transaction sees it."""
    found = {name: runner.run(queries.get(name), limit=LIMIT).value("thing") for name in names()}
    return {name: things for name, things in found.items() if things}
