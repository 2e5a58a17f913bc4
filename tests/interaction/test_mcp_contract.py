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

from api.mcp import memory_tools, tools
from api.mcp.calling import CorpusClass, Trust
from api.mcp.server import INSTRUCTIONS, WRITE_INSTRUCTIONS, build_mcp
from api.ops import core_memory, search, store
from api.ops.hall import Hall
from graphstore import privacy
from graphstore.errors import Unavailable
from tests.interaction.conftest import Service

GOLDEN = {
    False: Path(__file__).parent / "golden" / "mcp_tools.json",
    True: Path(__file__).parent / "golden" / "mcp_write_tools.json",
}
"""The committed list of tools of a server that only reads, and of one that writes."""
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


def dumped(writes: bool) -> list[dict[str, Any]]:
    return [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in offered(writes)
    ]


@pytest.mark.campaign("C32")
@pytest.mark.parametrize("writes", [False, True])
def test_the_tool_list_is_the_committed_one(writes: bool) -> None:
    text = json.dumps(dumped(writes), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("GARAGE_WRITE_GOLDEN"):
        GOLDEN[writes].write_text(text, encoding="utf-8")
    assert GOLDEN[writes].read_text(encoding="utf-8") == text


@pytest.mark.req("MCP-1", part=True)
def test_the_read_tools_are_offered_in_a_fixed_order() -> None:
    names = [tool.name for tool in offered()]
    assert names == [
        "rag_search",
        "rag_get_document",
        "rag_read_document",
        "rag_list_sources",
        "rag_recall",
        "rag_core_memory",
        "rag_stats",
    ]


@pytest.mark.req("MCP-2", part=True)
def test_a_server_that_writes_offers_the_tools_of_memories_too() -> None:
    names = [tool.name for tool in offered(writes=True)]
    assert names == [
        "rag_search",
        "rag_get_document",
        "rag_read_document",
        "rag_list_sources",
        "rag_recall",
        "rag_stats",
        "rag_remember",
        "rag_update_memory",
        "rag_forget",
        "rag_list_memories",
        "rag_store",
        "rag_core_memory",
    ]
    assert len(names) <= 20
    assert {tool.name for tool in offered()} <= set(names)


CHANGING = {
    "rag_remember": (False, True),
    "rag_update_memory": (True, True),
    "rag_forget": (True, False),
    "rag_store": (False, True),
    "rag_core_memory": (False, True),
}
"""Whether a tool that writes may destroy, and whether a second call changes nothing more."""


@pytest.mark.req("MCP-3")
@pytest.mark.parametrize("writes", [False, True])
def test_every_tool_is_titled_annotated_described_and_small(writes: bool) -> None:
    for tool in offered(writes):
        notes = tool.annotations
        assert notes is not None
        assert tool.title
        assert len(tool.name) <= 30
        assert 0 < len(tool.description or "") <= 600
        assert notes.open_world_hint is False
        changes = writes and tool.name in CHANGING
        assert notes.read_only_hint is not changes
        destroys, repeats = CHANGING[tool.name] if changes else (False, True)
        assert (notes.destructive_hint, notes.idempotent_hint) == (destroys, repeats)
    wire = json.dumps(dumped(writes), separators=(",", ":"), ensure_ascii=False)
    # A token of such JSON is three and a half bytes, about.
    assert len(wire.encode()) / 3.5 <= 6_000
    assert len(WRITE_INSTRUCTIONS.splitlines()) <= 20
    assert WRITE_INSTRUCTIONS.startswith(INSTRUCTIONS)


@pytest.mark.parametrize("writes", [False, True])
def test_schemas_are_plain_for_every_client(writes: bool) -> None:
    for tool in offered(writes):
        wire = json.dumps([tool.input_schema, tool.output_schema])
        assert "$ref" not in wire
        assert "$defs" not in wire
        assert "anyOf" not in json.dumps(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.input_schema["type"] == "object"
        assert (tool.output_schema or {})["type"] == "object"


def test_the_words_that_tools_take_are_those_of_the_tables() -> None:
    assert get_args(CorpusClass) == privacy.CLASSES
    assert get_args(Trust) == privacy.TRUST_TIERS
    assert get_args(tools.HitKind) == search.KINDS
    assert get_args(memory_tools.Block) == ("", *core_memory.BLOCKS)
    assert get_args(memory_tools.TextKind) == tuple(store.KINDS)
    assert get_args(memory_tools.Distil) == store.DISTIL


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
        ("rag_recall", {"query": ""}, "INVALID_INPUT: query"),
        ("rag_recall", {"query": "x", "kinds": ["rumour"]}, "INVALID_INPUT: kinds"),
        ("rag_recall", {"query": "x", "as_of": "then"}, "INVALID_INPUT: as_of"),
        ("rag_recall", {"query": "x"}, "UNAVAILABLE: The service is not ready"),
        ("rag_core_memory", {"block": "user"}, "unknown argument"),
        ("rag_core_memory", {}, "UNAVAILABLE: The service is not ready"),
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


@pytest.mark.req("MCP-2")
@pytest.mark.campaign("C12")
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("rag_remember", {}, "INVALID_INPUT: text"),
        ("rag_remember", {"text": None}, "INVALID_INPUT: text"),
        ("rag_remember", {"text": 7}, "INVALID_INPUT: text"),
        ("rag_remember", {"text": "x", "tag": "y"}, "Did you mean tags?"),
        ("rag_remember", {"text": "x", "kind": "rumour"}, "INVALID_INPUT: kind"),
        ("rag_remember", {"text": "x", "importance": 1.5}, "INVALID_INPUT: importance"),
        ("rag_remember", {"text": "x", "expires_at": "soon"}, "INVALID_INPUT: expires_at"),
        ("rag_update_memory", {"text": "x"}, "INVALID_INPUT: memory_id"),
        ("rag_forget", {"memory_id": ["a", "b"]}, "INVALID_INPUT: memory_id"),
        ("rag_forget", {"memory_id": "a", "all": True}, "unknown argument"),
        ("rag_list_memories", {"limit": 101}, "INVALID_INPUT: limit"),
        ("rag_list_memories", {"limit": 0}, "INVALID_INPUT: limit"),
        ("rag_store", {"text": "x", "distil": "soon"}, "INVALID_INPUT: distil"),
        ("rag_core_memory", {"block": "pet", "text": "x"}, "INVALID_INPUT: block"),
        ("rag_core_memory", {"block": "user", "text": "x"}, "UNAVAILABLE: The service is not"),
        ("rag_remember", {"text": "x", "title": None, "tags": None}, "UNAVAILABLE: The service"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_failing_write_says_its_code_its_reason_and_what_next(
    mode: str, name: str, arguments: dict[str, Any], said: str
) -> None:
    hall = Hall()
    hall.fail(Unavailable("Neo4j does not answer.", hint="Start it."))

    async def call() -> CallToolResult:
        async with Client(build_mcp(hall, writes=True), mode=mode) as client:
            return await client.call_tool(name, arguments)

    result = anyio.run(call)
    assert result.is_error
    assert said in text_of(result)
    assert "Next: " in text_of(result)


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
    # Over stdio a client may write, as the settings are shipped.
    writes = path == "/mcp/local"
    assert [tool.name for tool in listed] == [tool.name for tool in offered(writes)]
    assert all("$ref" not in json.dumps(tool.output_schema) for tool in listed)
    assert result.is_error
    assert text_of(result).startswith("UNAVAILABLE:")
