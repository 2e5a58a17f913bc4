"""MCP's contract: tools as committed, plain schemas, failures that say what next."""

import json
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, Tool

from api.mcp import tools
from api.mcp.server import INSTRUCTIONS, build_mcp
from api.ops import search
from api.ops.hall import Hall
from graphstore import privacy
from graphstore.errors import Unavailable
from tests.interaction.conftest import Service

GOLDEN = Path(__file__).parent / "golden" / "mcp_tools.json"
MODES = ("auto", "legacy")


def offered(writes: bool = False) -> list[Tool]:
    return anyio.run(build_mcp(Hall(), writes=writes).list_tools)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


@asynccontextmanager
async def over_http(service: Service, mode: str, path: str, secret: str) -> AsyncGenerator[Client]:
    headers = service.bearer(secret) | {"Garage-Client": "Example Desk"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{service.url}{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def calling(
    service: Service, mode: str, name: str, arguments: dict[str, Any], secret: str = ""
) -> CallToolResult:
    async def call() -> CallToolResult:
        async with over_http(service, mode, "/mcp", secret) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(call)


@pytest.mark.campaign("C32")
def test_the_tool_list_is_the_committed_one() -> None:
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in offered()]
    text = json.dumps(listed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("GARAGE_WRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


@pytest.mark.req("MCP-1", part=True)
def test_the_read_tools_are_offered_in_a_fixed_order() -> None:
    names = [tool.name for tool in offered()]
    assert names == [
        "rag_search",
        "rag_get_document",
        "rag_read_document",
        "rag_list_sources",
        "rag_stats",
    ]
    assert names == [tool.name for tool in offered(writes=True)]


@pytest.mark.req("MCP-3", part=True)
def test_every_tool_is_titled_annotated_described_and_small() -> None:
    for tool in offered():
        notes = tool.annotations
        assert notes is not None
        assert tool.title
        assert len(tool.name) <= 30
        assert 0 < len(tool.description or "") <= 600
        assert notes.open_world_hint is False
        assert notes.read_only_hint is True
        assert notes.destructive_hint is False
        assert notes.idempotent_hint is True
    wire = json.dumps([tool.model_dump(mode="json", exclude_none=True) for tool in offered()])
    assert len(wire) / 3 <= 6_000
    assert len(INSTRUCTIONS.splitlines()) <= 20


def test_schemas_are_plain_for_every_client() -> None:
    for tool in offered():
        wire = json.dumps([tool.input_schema, tool.output_schema])
        assert "$ref" not in wire
        assert "$defs" not in wire
        assert "anyOf" not in json.dumps(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.input_schema["type"] == "object"
        assert (tool.output_schema or {})["type"] == "object"


def test_the_words_that_tools_take_are_those_of_the_tables() -> None:
    assert get_args(tools.CorpusClass) == privacy.CLASSES
    assert get_args(tools.Trust) == privacy.TRUST_TIERS
    assert get_args(tools.HitKind) == search.KINDS


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("rag_search", {"query": "x", "limt": 3}, "Did you mean limit?"),
        ("rag_search", {"query": ""}, "INVALID_INPUT: query"),
        ("rag_search", {}, "INVALID_INPUT: query"),
        ("rag_search", {"query": "x" * 1_001}, "INVALID_INPUT: query"),
        ("rag_search", {"query": "x", "limit": 51}, "INVALID_INPUT: limit"),
        ("rag_search", {"query": "x", "limit": 0}, "INVALID_INPUT: limit"),
        ("rag_search", {"query": "x", "classes": ["secret"]}, "INVALID_INPUT: classes"),
        ("rag_search", {"query": "x", "since": "last week"}, "INVALID_INPUT: since"),
        ("rag_search", {"query": "x", "include": "chunk"}, "INVALID_INPUT: include"),
        ("rag_read_document", {"reference": "x", "start": -1}, "INVALID_INPUT: start"),
        ("rag_stats", {"verbose": True}, "unknown argument"),
        ("rag_search", {"query": "x"}, "UNAVAILABLE: The service is not ready"),
        ("rag_stats", {}, "Next: Start it."),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_failure_says_its_code_its_reason_and_what_next(
    mode: str, name: str, arguments: dict[str, Any], said: str
) -> None:
    hall = Hall()
    hall.fail(Unavailable("Neo4j does not answer.", hint="Start it."))

    async def call() -> CallToolResult:
        async with Client(build_mcp(hall, writes=False), mode=mode) as client:
            return await client.call_tool(name, arguments)

    result = anyio.run(call)
    assert result.is_error
    assert said in text_of(result)
    assert "Error executing" not in text_of(result)


@pytest.mark.req("MCP-3", part=True)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("/mcp", lambda service: service.secret),
        ("/mcp/local", lambda service: service.auth.relay_secret),
    ],
    ids=["client", "relay"],
)
def test_tools_are_served_over_http_in_both_eras(
    closed: Service, mode: str, path: str, secret: Callable[[Service], str]
) -> None:
    async def look() -> tuple[list[Tool], CallToolResult]:
        async with over_http(closed, mode, path, secret(closed)) as client:
            listed = await client.list_tools()
            return listed.tools, await client.call_tool("rag_stats", {})

    listed, result = anyio.run(look)
    assert [tool.name for tool in listed] == [tool.name for tool in offered()]
    assert all("$ref" not in json.dumps(tool.output_schema) for tool in listed)
    assert result.is_error
    assert text_of(result).startswith("UNAVAILABLE:")
