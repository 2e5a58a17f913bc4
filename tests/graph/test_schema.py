"""Schema: applied twice, by two at once, or by an older Garage, the database is as it must be."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.ops import backfill
from api.ops.garage import Garage
from graphstore import predicates, schema
from graphstore.clock import SystemClock
from graphstore.errors import Conflict, InvalidInput
from graphstore.predicates import Predicate
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import empty, rows

INDEXES = (
    "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, options "
    "RETURN name, type, labelsOrTypes, properties, state, options ORDER BY type, name"
)
CONSTRAINTS = (
    "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties "
    "RETURN name, type, labelsOrTypes, properties ORDER BY type, labelsOrTypes, properties"
)
NODES = "CYPHER 25 MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties"


def run(graph: Graph, query: str) -> list[dict[str, object]]:
    with graph.driver.session(database=graph.database) as session:
        return session.run(query).data()  # type: ignore[arg-type] - text of a test


def schema_of(graph: Graph) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return indexes and constraints, without the names that the server made up."""
    indexes, constraints = run(graph, INDEXES), run(graph, CONSTRAINTS)
    for row in indexes + constraints:
        if str(row["name"]).startswith(("constraint_", "index_")):
            row["name"] = ""
    order = lambda row: str((row["type"], row["labelsOrTypes"], row["properties"]))  # noqa: E731 - short
    return sorted(indexes, key=order), sorted(constraints, key=order)


@pytest.fixture
def bare(migrated: Graph) -> Iterator[Graph]:
    """A database without any schema; it has ours again afterwards."""
    empty(migrated)
    for row in run(migrated, "SHOW CONSTRAINTS YIELD name RETURN name"):
        run(migrated, f"DROP CONSTRAINT {row['name']}")
    lasting = "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"
    for row in run(migrated, lasting):
        run(migrated, f"DROP INDEX {row['name']}")
    run(migrated, "MATCH (n) DELETE n")
    try:
        yield migrated
    finally:
        run(migrated, "MATCH (n) DELETE n")
        schema.apply(migrated, SystemClock())


@pytest.mark.req("RUN-3")
def test_a_new_database_gets_every_migration_once_and_the_second_time_nothing(bare: Graph) -> None:
    names = tuple(step.name for step in schema.migrations())
    assert schema.apply(bare, SystemClock()) == names
    before = (schema_of(bare), run(bare, NODES))
    assert schema.apply(bare, SystemClock()) == ()
    assert (schema_of(bare), run(bare, NODES)) == before
    assert all(row["state"] == "ONLINE" for row in run(bare, INDEXES))


@pytest.mark.req("RUN-3")
@pytest.mark.campaign("C73")
def test_two_services_that_migrate_at_once_leave_one_schema(
    bare: Graph, neo4j_server: Connection
) -> None:
    start = threading.Barrier(2)

    def migrate(graph: Graph) -> tuple[str, ...]:
        start.wait()
        return schema.apply(graph, SystemClock())

    with Graph(neo4j_server) as one, Graph(neo4j_server) as two, ThreadPoolExecutor(2) as threads:
        applied = sorted(threads.map(migrate, (one, two)))
    names = tuple(step.name for step in schema.migrations())
    assert applied == [(), names]
    together = schema_of(bare)
    versions = "CYPHER 25 MATCH (v:SchemaVersion) RETURN v.name AS name ORDER BY name"
    assert [row["name"] for row in run(bare, versions)] == list(names)
    assert schema.apply(bare, SystemClock()) == ()
    assert schema_of(bare) == together
    registered = {predicate.name for predicate in predicates.registered(bare)}
    assert registered == {predicate.name for predicate in predicates.BUILTIN}


@pytest.mark.req("RUN-3")
def test_an_older_database_is_brought_up_to_date(bare: Graph) -> None:
    schema.apply(bare, SystemClock())
    complete = schema_of(bare)
    run(bare, "DROP INDEX ft_chunk")
    run(bare, "CYPHER 25 MATCH (v:SchemaVersion) SET v.checksum = 'of an earlier text'")
    assert schema.apply(bare, SystemClock()) == tuple(step.name for step in schema.migrations())
    assert schema_of(bare) == complete


@pytest.mark.req("RUN-3")
def test_a_newer_database_is_refused_and_nothing_is_written(graph: Graph) -> None:
    run(graph, "CYPHER 25 CREATE (:SchemaVersion {version: 900, name: '900_later'})")
    try:
        before = (schema_of(graph), run(graph, NODES))
        with pytest.raises(Conflict, match="900"):
            schema.apply(graph, SystemClock())
        assert (schema_of(graph), run(graph, NODES)) == before
    finally:
        run(graph, "CYPHER 25 MATCH (v:SchemaVersion {version: 900}) DELETE v")


@pytest.mark.req("RUN-3")
def test_every_predicate_is_registered_with_unique_triples(graph: Graph) -> None:
    unique = {
        str(row["labelsOrTypes"]): row["properties"]
        for row in run(graph, CONSTRAINTS)
        if row["type"] == "RELATIONSHIP_PROPERTY_UNIQUENESS"
    }
    assert {predicate.name for predicate in predicates.registered(graph)} == {
        predicate.name for predicate in predicates.BUILTIN
    }
    for predicate in predicates.BUILTIN:
        assert unique[str([predicate.name])] == ["uid"]


@pytest.mark.req("RUN-3")
@pytest.mark.parametrize(
    "name", ["HAS_CHUNK", "FROM", "likes", "LIKES IT", "", "LIKES\n", "L" * 41]
)
def test_a_name_that_is_reserved_or_malformed_names_no_predicate(graph: Graph, name: str) -> None:
    before = (schema_of(graph), run(graph, NODES))
    with pytest.raises(InvalidInput):
        predicates.register(
            graph, [Predicate("FINE", "First."), Predicate(name, "Second.", builtin=False)]
        )
    assert (schema_of(graph), run(graph, NODES)) == before


@pytest.mark.req("RUN-3")
def test_no_structural_type_of_the_graph_is_free_to_be_a_predicate() -> None:
    assert not predicates.RESERVED & {predicate.name for predicate in predicates.BUILTIN}


@pytest.mark.req("EMB-1")
def test_a_model_owns_an_index_with_scalar_quantisation_and_the_filters(garage: Garage) -> None:
    (index,) = [row for row in run(garage.graph, INDEXES) if row["type"] == "VECTOR"]
    assert (index["name"], index["state"]) == ("vec_words_chunk", "ONLINE")
    wanted = {"vec_words", "class", "trust", "source", "category", "created_at"}
    assert set(index["properties"]) == wanted  # type: ignore[call-overload] - a list of text
    config = index["options"]["indexConfig"]  # type: ignore[index] - a map
    assert str(config["vector.quantization.type"]).lower() == "scalar"
    assert str(config["vector.similarity_function"]).lower() == "cosine"
    assert (config["vector.dimensions"], config["vector.hnsw.m"]) == (64, 32)
    before = rows(garage.graph, "MATCH (m:EmbeddingModel) RETURN properties(m) AS p")
    backfill.register(garage)
    assert rows(garage.graph, "MATCH (m:EmbeddingModel) RETURN properties(m) AS p") == before
