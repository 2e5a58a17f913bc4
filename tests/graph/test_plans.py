"""Plans: no query reads the whole graph or multiplies what has nothing to do with each other."""

from collections.abc import Iterator
from typing import Any

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
    if "$$property" in text:
        values["property"] = "embed_error_words" if name.endswith("refusals") else "vec_words"
    return queries.get(name, **values)


@pytest.mark.req("RUN-3")
def test_no_query_scans_everything_or_multiplies(garage: Garage) -> None:
    graph = garage.graph
    guilty: dict[str, set[str]] = {}
    with graph.driver.session(database=graph.database) as session:
        for name in NAMES:
            text = statement(name).replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1)
            plan = session.run(text).consume().plan  # type: ignore[arg-type] - a file of ours
            assert plan is not None, name
            if found := FORBIDDEN & set(operators(plan)):
                guilty[name] = found
    assert guilty.keys() == EXCEPTIONS.keys(), guilty
