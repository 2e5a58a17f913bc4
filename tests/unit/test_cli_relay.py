"""The stdio relay: messages in, messages out, and nothing else on standard output."""

import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.cli.envelope import Identity, header_value
from api.cli.relay import Relay
from api.client import Place
from tests.stand_in import Asked, Reply, StandIn, standing_in


@pytest.fixture
def service(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "data") as stand_in:
        yield stand_in


class Assistant:
    """The other end of a relay: it writes lines and reads lines."""

    def __init__(self, service: StandIn) -> None:
        reading, writing = os.pipe()
        self._source = os.fdopen(reading, "rb")
        self._to_relay = os.fdopen(writing, "wb", buffering=0)
        out_reading, out_writing = os.pipe()
        self._from_relay = os.fdopen(out_reading, "rb")
        self._sink = os.fdopen(out_writing, "wb", buffering=0)
        self._relay = Relay(Place(service.data, {}), self._sink)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with self._source, self._sink:
            self._relay.run(self._source)

    def say(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._to_relay.write(line + b"\n")

    def hear(self) -> Any:
        return json.loads(self._from_relay.readline())

    def leave(self) -> list[Any]:
        """Close the input; return what still comes."""
        self._to_relay.close()
        with self._from_relay:
            rest = [json.loads(line) for line in self._from_relay]
        self._thread.join()
        return rest


@pytest.fixture
def assistant(service: StandIn) -> Iterator[Assistant]:
    made = Assistant(service)
    yield made
    if not made._to_relay.closed:
        made.leave()


def request(identity: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def echo(asked: Asked, reply: Reply) -> None:
    """Answer every request with its method, in a stream, after a notification."""
    if "id" not in asked.body:
        reply.accepted()
        return
    result: dict[str, Any] = {"method": asked.body["method"]}
    if asked.body["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "garage"}}
    reply.begin_stream()
    reply.event("message", {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    reply.event("message", {"jsonrpc": "2.0", "id": asked.body["id"], "result": result})


@pytest.mark.req("MCP-3")
@pytest.mark.parametrize(
    ("line", "identity", "word"),
    [
        (b"[]", None, "list"),
        (b"42", None, "object"),
        (b'{"a": 1}', None, "jsonrpc"),
        (b'{"id": 9, "method": "ping"}', 9, "jsonrpc"),
        (b'{"jsonrpc": "2.0", "id": "a"}', "a", "no method"),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, "id"),
        (b'{"jsonrpc": "2.0", "id": 3, "method": 4}', 3, "method"),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": 4}', 3, "params"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence_and_sent_nowhere(
    service: StandIn, assistant: Assistant, line: bytes, identity: Any, word: str
) -> None:
    service.mcp = echo
    assistant.say(line)
    refused = assistant.hear()
    assert (refused["id"], refused["error"]["code"]) == (identity, -32600)
    assert word in refused["error"]["message"]
    assert service.asked == []


@pytest.mark.req("MCP-3")
def test_a_conversation_keeps_the_clients_name_and_the_negotiated_version(
    service: StandIn, assistant: Assistant
) -> None:
    service.mcp = echo
    assistant.say(request(1, "initialize", clientInfo={"name": "editor ünï"}))
    assert assistant.hear()["method"] == "notifications/progress"
    assert assistant.hear()["result"]["protocolVersion"] == "2025-06-18"
    assistant.say(request("two", "tools/list"))
    assert assistant.hear()["method"] == "notifications/progress"
    assert assistant.hear() == {"jsonrpc": "2.0", "id": "two", "result": {"method": "tools/list"}}
    assert assistant.leave() == []
    first, second = service.asked
    assert first.path == second.path == "/mcp/local"
    assert first.headers["Authorization"] == "Bearer the-relay"
    assert "MCP-Protocol-Version" not in first.headers
    assert second.headers["MCP-Protocol-Version"] == "2025-06-18"
    assert second.headers["Garage-Client"] == header_value("editor ünï")


@pytest.mark.req("MCP-3")
def test_requests_do_not_wait_for_each_other(service: StandIn, assistant: Assistant) -> None:
    second_came = threading.Event()

    def answer(asked: Asked, reply: Reply) -> None:
        if asked.body["id"] == 1:
            assert second_came.wait(30)
        else:
            second_came.set()
        reply.json({"jsonrpc": "2.0", "id": asked.body["id"], "result": {}})

    service.mcp = answer
    assistant.say(request(1, "slow"))
    assistant.say(request(2, "quick"))
    assert {assistant.hear()["id"], assistant.hear()["id"]} == {1, 2}


@pytest.mark.req("MCP-3")
def test_a_cancelled_request_ends_its_stream_and_is_not_answered(
    service: StandIn, assistant: Assistant
) -> None:
    began, ended = threading.Event(), threading.Event()

    def answer(asked: Asked, reply: Reply) -> None:
        reply.begin_stream()
        began.set()
        reply.wait_for_its_end()
        ended.set()

    service.mcp = answer
    assistant.say(request(1, "tools/call", name="rag_search"))
    assert began.wait(30)
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assistant.say({"jsonrpc": "2.0", **cancelled})
    assert ended.wait(30)
    assert assistant.leave() == []
    assert [asked.body["method"] for asked in service.asked] == ["tools/call"]


@pytest.mark.req("MCP-3")
def test_what_is_in_flight_when_the_input_ends_is_still_answered(
    service: StandIn, assistant: Assistant
) -> None:
    service.mcp = echo
    for number in range(5):
        assistant.say(request(number, "ping"))
    answers = [each for each in assistant.leave() if "id" in each]
    assert sorted(each["id"] for each in answers) == [0, 1, 2, 3, 4]


@pytest.mark.req("MCP-3")
def test_a_service_that_ends_in_the_middle_is_an_error_with_the_requests_id(
    service: StandIn, assistant: Assistant
) -> None:
    service.mcp = lambda asked, reply: reply.begin_stream()
    assistant.say(request(7, "tools/call"))
    answer = assistant.hear()
    assert answer["id"] == 7
    assert "before it answered" in answer["error"]["message"]


@pytest.mark.req("MCP-3")
def test_a_refused_token_makes_the_relay_look_again(service: StandIn, assistant: Assistant) -> None:
    def answer(asked: Asked, reply: Reply) -> None:
        if len(service.asked) == 1:
            tokens = {"owner": "o", "relay": "newer"}
            (service.data / "service.token").write_text(json.dumps(tokens), encoding="utf-8")
            reply.json({"error": "refused"}, 401)
        else:
            echo(asked, reply)

    service.mcp = answer
    assistant.say(request(1, "ping"))
    assert assistant.hear()["method"] == "notifications/progress"
    assert assistant.hear()["result"] == {"method": "ping"}
    assert service.asked[1].headers["Authorization"] == "Bearer newer"


@pytest.mark.req("MCP-3")
def test_a_line_that_is_no_json_is_answered_and_ends_nothing(
    service: StandIn, assistant: Assistant
) -> None:
    service.mcp = echo
    assistant.say(b"{nonsense")
    assert assistant.hear()["error"]["code"] == -32700
    assistant.say(request(1, "ping"))
    assistant.hear()
    assert assistant.hear()["result"] == {"method": "ping"}


@pytest.mark.req("MCP-3")
def test_a_message_of_the_later_protocol_repeats_its_envelope_in_headers() -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "editor"},
    }
    message = request(1, "resources/read", uri="memory://ä", _meta=meta)
    headers = Identity().after_request(message).headers(message)
    assert headers["MCP-Protocol-Version"] == "2026-07-28"
    assert headers["Mcp-Method"] == "resources/read"
    assert headers["Mcp-Name"] == header_value("memory://ä")
    assert headers["Mcp-Name"].isascii()
    assert headers["Garage-Client"] == "editor"


@pytest.mark.req("MCP-3")
def test_headers_cannot_be_smuggled_in_by_a_name() -> None:
    from mcp.shared.inbound import decode_header_value

    name = "editor\r\nGarage-Client: owner"
    value = header_value(name)
    assert "\n" not in value
    assert decode_header_value(value) == name


@pytest.mark.req("MCP-3")
def test_without_a_line_nothing_is_written(service: StandIn) -> None:
    sink = io.BytesIO()
    Relay(Place(service.data, {}), sink).run(io.BytesIO(b"\n\n"))
    assert sink.getvalue() == b""
