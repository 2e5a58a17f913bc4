"""Plans: no query reads the whole graph or multiplies what has nothing to do with each other."""

import re
from collections.abc import Iterator
from typing import Any

import neo4j
import pytest

from api.ops.garage import Garage
from graphstore import queries

NAMES = sorted(
    file.relative_to(queries.ROOT / "queries").with_suffix("").as_posix()
    for file in (queries.ROOT / "queries").rglob("*.cypher")
)
SUBSTITUTIONS = {"index": "vec_words_chunk", "label": "Chunk", "type": "AUTHORED_BY"}
FORBIDDEN = {
    "AllNodesScan",
    "CartesianProduct",  # but of nodes that are found by their unique keys: one by one
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
}
_HEADER = re.compile(r"CYPHER 25(\s+runtime=slotted)?")
_SINGLE = {"NodeUniqueIndexSeek", "NodeUniqueIndexSeek(Locking)", "Argument"}
EXCEPTIONS: dict[str, str] = {}
"""Queries that may, each with its reason."""


def operators(plan: dict[str, Any]) -> Iterator[str]:
    name = operator(plan)
    if name != "CartesianProduct" or not set(leaves(plan)) <= _SINGLE:
        yield name
    for child in plan.get("children", []):
        yield from operators(child)


def leaves(plan: dict[str, Any]) -> Iterator[str]:
    children = plan.get("children", [])
    if not children:
        yield operator(plan)
    for child in children:
        yield from leaves(child)


def operator(plan: dict[str, Any]) -> str:
    return str(plan["operatorType"]).split("@")[0]


def statement(name: str) -> str:
    text = (queries.ROOT / "queries" / f"{name}.cypher").read_text(encoding="utf-8")
    values = {key: value for key, value in SUBSTITUTIONS.items() if f"$${key}" in text}
    if name.startswith("jobs/") and "label" in values:
        values["label"] = "Queued"
    if "$$property" in text:
        values["property"] = "embed_error_words" if name.endswith("refusals") else "vec_words"
    return queries.get(name, **values)


@pytest.mark.req("RUN-3")
def test_no_query_scans_everything_or_multiplies(garage: Garage) -> None:
    graph = garage.graph
    guilty: dict[str, set[str]] = {}
    with graph.driver.session(database=graph.database) as session:
        for name in NAMES:
            if found := FORBIDDEN & set(operators(plan_of(session, name))):
                guilty[name] = found
    assert guilty.keys() == EXCEPTIONS.keys(), guilty


INDEXED = {
    "jobs/claim": "j:Queued(kind, rank)",
    "jobs/ready": "j:Queued(kind, rank)",
    "jobs/claimed": "j:Running(token)",
    "jobs/due": "j:Waiting(run_after)",
    "jobs/reclaim": "j:Running(lease_until)",
    "jobs/purge": "j:Job(finished_at)",
    "jobs/heat": "e:SearchEvent(at)",
    "jobs/list": "j:Queued(rank)",
}
"""Queries of the queue, and the index that keeps each quick however long the queue is."""


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C65", part=True)
@pytest.mark.parametrize("name", sorted(INDEXED))
def test_what_works_the_queue_stays_on_its_index(garage: Garage, name: str) -> None:
    graph = garage.graph
    with graph.driver.session(database=graph.database) as session:
        plan = plan_of(session, name)
    assert INDEXED[name] in " ".join(details(plan))
    assert [each for each in operators(plan) if each.endswith("LabelScan")] == []


@pytest.mark.req("QUE-1")
@pytest.mark.campaign("C65", part=True)
def test_a_claim_sorts_nothing_but_the_first_of_each_kind(garage: Garage) -> None:
    graph = garage.graph
    with graph.driver.session(database=graph.database) as session:
        plan = plan_of(session, "jobs/claim")
    sorting = [name for name in operators(plan) if name in {"Sort", "Top", "PartialTop"}]
    # One: over the first of each kind. Within a kind the index gives the order.
    assert sorting == ["Top"]


def plan_of(session: neo4j.Session, name: str) -> dict[str, Any]:
    text = _HEADER.sub(r"\g<0> EXPLAIN", statement(name), count=1)
    plan = session.run(text).consume().plan  # type: ignore[arg-type] - a file of ours
    assert plan is not None, name
    return plan


def details(plan: dict[str, Any]) -> Iterator[str]:
    """Yield what a plan tells of each of its steps."""
    yield str(plan.get("args", {}).get("Details", ""))
    for child in plan.get("children", []):
        yield from details(child)
