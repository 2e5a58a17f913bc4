"""GraphQL's contract: the schema as committed, its limits, and errors that can be acted on."""

from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    build_schema,
    get_introspection_query,
)

from api.graphql.schema import printed
from tests.interaction.conftest import Service

COMMITTED = Path(__file__).parents[2] / "docs" / "schema.graphql"
SCHEMA = build_schema(printed())


def messages(answer: dict[str, Any]) -> str:
    return " ".join(error["message"] for error in answer["errors"])


@pytest.mark.req("GQL-1", part=True)
def test_the_committed_schema_is_the_one_that_is_served() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == printed()


def test_every_type_field_and_argument_is_described() -> None:
    bare: list[str] = []
    for kind in SCHEMA.type_map.values():
        if kind.name.startswith("__") or kind.name in {"String", "Int", "Float", "Boolean", "ID"}:
            continue
        bare += [] if kind.description else [kind.name]
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in kind.fields.items():
                bare += [] if field.description else [f"{kind.name}.{name}"]
                bare += [
                    f"{kind.name}.{name}({argument})"
                    for argument, said in field.args.items()
                    if not said.description
                ]
    assert bare == []


def test_every_union_says_why_not_by_members_that_are_problems() -> None:
    unions = [kind for kind in SCHEMA.type_map.values() if isinstance(kind, GraphQLUnionType)]
    assert unions
    for union in unions:
        problems = [
            member.name
            for member in union.types
            if any(shape.name == "Problem" for shape in member.interfaces)
        ]
        assert "Unavailable" in problems, union.name
    assert not [
        kind
        for kind in SCHEMA.type_map.values()
        if isinstance(kind, GraphQLEnumType) and not kind.name.startswith("__")
    ]


@pytest.mark.req("GQL-1", part=True)
def test_the_explorers_introspection_passes_the_limits(closed: Service) -> None:
    query = get_introspection_query(
        descriptions=True, schema_description=True, input_value_deprecation=True
    )
    assert closed.data(query)["__schema"]["queryType"]["name"] == "Query"


def test_a_subscription_by_plain_post_is_refused_with_what_to_do(closed: Service) -> None:
    answer = closed.post('subscription { ingestProgress(run: "x") { __typename } }')
    assert "text/event-stream" in messages(answer)


@pytest.mark.req("GQL-1", part=True)
@pytest.mark.parametrize(
    "query",
    [
        'search(query: "river")',
        "documents",
        'text(reference: "notes:a.md")',
        "sources",
        "stats",
        "log",
        "files",
        "runs",
        "memories",
        'memoryHistory(id: "x")',
        'recall(query: "river")',
        "coreMemory",
        "sourcePresets",
        'coreMemoryHistory(block: "user")',
        "jobs",
        "queue",
        'facts(reference: "any")',
    ],
)
def test_a_service_without_its_graph_says_so_as_a_problem(closed: Service, query: str) -> None:
    data = closed.data(f"{{ it: {query} {{ __typename ... on Problem {{ code message hint }} }} }}")
    assert data["it"]["__typename"] == "Unavailable"
    assert data["it"]["code"] == "UNAVAILABLE"
    assert "Neo4j does not answer" in data["it"]["message"]
    assert data["it"]["hint"] == "Start it."


def test_a_lookup_that_cannot_be_done_is_an_error_with_its_code(closed: Service) -> None:
    lookups = ('document(reference: "x") { uid }', 'source(slug: "x") { slug }')
    for query in (*lookups, 'memory(id: "x") { uid }'):
        (error,) = closed.post(f"{{ {query} }}")["errors"]
        assert error["extensions"] == {"code": "UNAVAILABLE", "hint": "Start it."}


def test_a_mutation_without_the_graph_is_an_unavailable_member(closed: Service) -> None:
    data = closed.data(
        'mutation { ingest(slug: "notes") { __typename ... on Problem { code } } '
        'removeSource(slug: "notes") { __typename ... on Problem { code } } '
        "work { __typename ... on Problem { code } } "
        "retryJobs { __typename ... on Problem { code } } }"
    )
    assert {each["code"] for each in data.values()} == {"UNAVAILABLE"}


@pytest.mark.parametrize("argument", ["null", "[null]"])
def test_null_in_a_filter_is_an_error_and_never_all_rows(closed: Service, argument: str) -> None:
    answer = closed.post(f'{{ search(query: "x", sources: {argument}) {{ __typename }} }}')
    assert "null" in messages(answer)
