"""C30: a client that is gone in the middle of its write, and says it again."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.client import find
from tests.interaction.homes import Home, garage_home
from tests.interaction.test_cli_mcp import Assistant

pytestmark = [
    pytest.mark.faults,
    pytest.mark.campaign("C30"),
    pytest.mark.req("MEM-3", part=True),
    pytest.mark.timeout(600),
]
ROUNDS = 8


@pytest.fixture(scope="module")
def home(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with garage_home(tmp_path_factory.mktemp("home"), jar_cache) as made:
        made.environment["GARAGE_MCP__WRITES"] = "always"
        made.run("stats")  # waits until the graph is there
        yield made


def kept(home: Home, marker: str) -> list[str]:
    """Return the texts of the memories that hold a marker."""
    edges = home.json("memory", "list", "--limit", "100", "--query", marker)["edges"]
    return [edge["node"]["text"] for edge in edges]


def remembered(assistant: Assistant, text: str) -> dict[str, Any]:
    result = assistant.ask("tools/call", name="rag_remember", arguments={"text": text})["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def test_an_assistant_that_dies_in_mid_write_and_says_it_again_is_written_once(home: Home) -> None:
    texts = [f"Killed in round {number}: {'the gauge rose. ' * 200}" for number in range(ROUNDS)]
    for text in texts:
        assistant = Assistant(home)
        assistant.greet()
        assistant.begin("tools/call", name="rag_remember", arguments={"text": text})
        assistant.process.kill()
        assistant.process.communicate()
    again = Assistant(home)
    again.greet()
    assert all(remembered(again, text)["memory_id"] for text in texts)
    again.leave()
    assert sorted(kept(home, "killed in round")) == sorted(text.strip() for text in texts)


def test_an_assistant_that_takes_its_write_back_and_says_it_again_is_written_once(
    home: Home,
) -> None:
    assistant = Assistant(home)
    assistant.greet()
    for number in range(ROUNDS):
        text = f"Taken back in round {number}."
        begun = assistant.begin("tools/call", name="rag_remember", arguments={"text": text})
        assistant.tell("notifications/cancelled", requestId=begun, reason="another idea")
        assert remembered(assistant, text)["memory_id"]
    assistant.leave()
    assert len(kept(home, "taken back in round")) == ROUNDS


@pytest.mark.parametrize("sent", [0.5, 1.0], ids=["half", "whole"])
def test_a_connection_that_ends_in_mid_request_leaves_the_whole_text_or_none(
    home: Home, sent: float
) -> None:
    name = f"phone-{sent}"
    secret = home.json("token", "add", name, "--write")["token"]
    service = find(home.data)
    assert service is not None
    texts = [
        f"Cut at {sent} in round {number}. {'River. ' * 500}".strip() for number in range(ROUNDS)
    ]
    for text in texts:
        request = _request(service.port, secret, text)
        with socket.create_connection(("127.0.0.1", service.port)) as wire:
            wire.sendall(request[: int(len(request) * sent)])
    assert set(kept(home, f"cut at {sent}")) <= (set(texts) if sent == 1.0 else set())
    for text in texts:
        _answered(service.port, _request(service.port, secret, text))
    assert sorted(kept(home, f"cut at {sent}")) == sorted(texts)


def _request(port: int, secret: str, text: str) -> bytes:
    query = "mutation($t: String!) {remember(text: $t) {__typename}}"
    body = json.dumps({"query": query, "variables": {"t": text}}).encode()
    head = (
        f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body


def _answered(port: int, request: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as wire:
        wire.sendall(request)
        reply = b""
        while part := wire.recv(65_536):
            reply += part
    assert b'"__typename":"MemoryPayload"' in reply.replace(b": ", b":"), reply
