"""No result carries a vector, through any door."""

import dataclasses
import inspect
import json
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import anyio
from graphql import GraphQLInterfaceType, GraphQLObjectType, build_schema

from api.graphql.schema import printed
from api.mcp import results
from api.mcp.server import build_mcp
from api.ops import (
    backfill,
    core_memory,
    doctor,
    ingest,
    memories,
    memory_lists,
    reading,
    recall,
    search,
    sources,
    stats,
    store,
)
from api.ops.hall import Hall
from graphstore import core_blocks, journal, outcomes, records
from graphstore import memories as stored_memories
from graphstore import reading as stored

ROOMS = (
    backfill,
    doctor,
    ingest,
    reading,
    search,
    sources,
    stats,
    memories,
    memory_lists,
    recall,
    store,
    core_memory,
    core_blocks,
    stored_memories,
    records,
    stored,
    journal,
    outcomes,
)


def shapes(module: ModuleType) -> Iterator[type]:
    for _, found in inspect.getmembers(module, inspect.isclass):
        if dataclasses.is_dataclass(found) and found.__module__ == module.__name__:
            yield found


def holds_numbers(hint: Any) -> bool:
    """Say whether a type is a row of numbers, or what a vector may hide in."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {list, tuple} and any(part in {float, int} for part in inner):
        return True
    return "ndarray" in str(hint) or any(holds_numbers(part) for part in inner)


def test_no_record_that_an_operation_returns_holds_a_vector() -> None:
    seen = 0
    for module in (*ROOMS, results):
        for shape in shapes(module):
            for name, hint in typing.get_type_hints(shape).items():
                seen += 1
                assert not holds_numbers(hint), f"{shape.__name__}.{name}"
                assert not name.startswith(("vec", "embedding_")), f"{shape.__name__}.{name}"
    assert seen > 100


def test_no_type_of_the_schema_holds_a_vector() -> None:
    for kind in build_schema(printed()).type_map.values():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in kind.fields.items():
                assert "[Float" not in str(field.type), f"{kind.name}.{name}"
                assert "[Int" not in str(field.type), f"{kind.name}.{name}"


def arrays(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield schema
        for value in schema.values():
            yield from arrays(value)
    if isinstance(schema, list):
        for value in schema:
            yield from arrays(value)


def test_no_result_of_a_tool_holds_a_vector() -> None:
    listed = anyio.run(build_mcp(Hall(), writes=True).list_tools)
    found = [array for tool in listed for array in arrays(tool.output_schema)]
    assert found
    assert all(array["items"]["type"] not in {"number", "integer"} for array in found)
    told = json.dumps([tool.output_schema for tool in listed]).lower()
    # How many went with a memory that was forgotten, and no more.
    count = '"vectors": {"type": "integer"}'
    assert (told.count(count), told.count("vector")) == (1, 1)
