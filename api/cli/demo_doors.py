"""The demo's two other doors: GraphQL as any program would send it, MCP as an assistant would."""

import json
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, cast

from api.cli.session import Session
from api.client import connect
from api.visible import safe
from graphstore.errors import Unavailable

QUERY: Final = (
    '{ search(query: "Who reviews the gauge decoder?", limit: 1) {\n'
    + """\
    ... on SearchResult { hits { title uri changedAt authors } lowConfidence } } }"""
)
_TIMEOUT_S: Final = 60.0
_PROTOCOL: Final = "2025-11-25"


@dataclass(frozen=True, slots=True)
class Shown:
    """What went through a door."""

    text: str
    answer: Any


def over_http(session: Session) -> Shown:
    """Send one query over HTTP, as any program could."""
    service = session.client.service
    body = json.dumps({"query": QUERY})
    headers = {
        "Authorization": f"Bearer {service.token('owner')}",
        "Content-Type": "application/json",
    }
    with closing(connect(service, _TIMEOUT_S)) as connection:
        connection.request("POST", "/graphql", body, headers)
        answer: Any = json.loads(connection.getresponse().read())
    sent = f"POST http://127.0.0.1:{service.port}/graphql\n{QUERY}"
    return Shown(f"{sent}\n\n{_pretty(answer)}", answer)


def over_stdio(session: Session) -> Shown:
    """Start `garage mcp` as an assistant does, and call one tool."""
    arguments = {"query": "When was the release of Pegelbuch moved?", "limit": 2}
    call = _message(2, "tools/call", {"name": "rag_search", "arguments": arguments})
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "api.cli", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(session.environment),
    )
    limit = threading.Timer(_TIMEOUT_S, process.kill)
    limit.start()
    try:
        with process:
            answer = _conversation(process, call)
    finally:
        limit.cancel()
    texts = [part["text"] for part in answer["result"]["content"] if part["type"] == "text"]
    return Shown(f"→ {json.dumps(call)}\n← {safe(' '.join(texts))}", answer["result"])


def _conversation(process: "subprocess.Popen[bytes]", call: dict[str, Any]) -> dict[str, Any]:
    """Greet the server, call the tool, and return the answer."""
    hello = {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "garage-demo", "version": "1"},
    }
    _ask(process, _message(1, "initialize", hello))
    _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = _ask(process, call)
    if "result" not in answer:
        message = str(answer.get("error", {}).get("message", "no answer"))
        raise Unavailable(f"The MCP tool call failed: {message}")
    return answer


def _ask(process: "subprocess.Popen[bytes]", message: dict[str, Any]) -> dict[str, Any]:
    _send(process, message)
    assert process.stdout is not None  # noqa: S101 - asked for as a pipe, above
    for line in process.stdout:
        answer = cast("dict[str, Any]", json.loads(line))
        if answer.get("id") == message["id"]:
            return answer
    raise Unavailable("'garage mcp' ended before it answered.")


def _send(process: "subprocess.Popen[bytes]", message: dict[str, Any]) -> None:
    assert process.stdin is not None  # noqa: S101 - asked for as a pipe, above
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _message(identity: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def _pretty(value: Any) -> str:
    return safe(json.dumps(value, indent=2, ensure_ascii=False))
