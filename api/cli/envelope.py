"""The envelope of a relayed message: who speaks, in which version, as HTTP headers say it.

Until 2025-11-25 a client names itself and its version once, in `initialize`; later versions say
both in every message, and their HTTP form repeats the method and the name of what is called.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_ENCODED: Final = re.compile(r"=\?base64\?.*\?=")
_MAX_NAME: Final = 100

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of the assistant so far."""

    client: str = ""
    version: str = ""
    """Of the protocol, as negotiated by `initialize`."""

    def after_request(self, message: Message) -> "Identity":
        """Return what is known after a message of the assistant."""
        params = _table(message.get("params"))
        told = _table(params.get("clientInfo")) if message.get("method") == "initialize" else {}
        info = told or _table(_table(params.get("_meta")).get(_CLIENT_KEY))
        name = info.get("name")
        known = replace(self, version="") if message.get("method") == "initialize" else self
        return replace(known, client=name[:_MAX_NAME]) if isinstance(name, str) else known

    def after_answer(self, request: Message, answer: Message) -> "Identity":
        """Return what is known after the service's answer to a request."""
        version = _table(answer.get("result")).get("protocolVersion")
        is_negotiation = request.get("method") == "initialize" and isinstance(version, str)
        return replace(self, version=str(version)) if is_negotiation else self

    def headers(self, message: Message) -> dict[str, str]:
        """Return the headers that a message is posted with."""
        found = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.client:
            found["Garage-Client"] = header_value(self.client)
        params = _table(message.get("params"))
        stamped = _table(params.get("_meta")).get(_VERSION_KEY)
        if not isinstance(stamped, str):
            if self.version:
                found["MCP-Protocol-Version"] = header_value(self.version)
            return found
        method = str(message.get("method", ""))
        found["MCP-Protocol-Version"] = header_value(stamped)
        found["Mcp-Method"] = header_value(method)
        name = params.get(_NAMED.get(method, ""))
        if isinstance(name, str):
            found["Mcp-Name"] = header_value(name)
        return found


def identity_of(content: object) -> str | int | None:
    """Return the id of something that may be a message; None when it has none that can be."""
    identity = _table(content).get("id")
    return identity if isinstance(identity, str | int) and identity is not True else None


def why_no_message(content: object) -> str | None:
    """Say why something is no message of JSON-RPC 2.0, as MCP uses it; None when it is one."""
    if isinstance(content, list):
        return "A list is no message of MCP. Send each message on a line of its own."
    if not isinstance(content, dict):
        return "This line is no JSON object."
    message = _table(content)
    if message.get("jsonrpc") != "2.0":
        return 'This is no message of JSON-RPC 2.0: "jsonrpc": "2.0" is not in it.'
    if "id" in message and identity_of(message) is None:
        return "The id of a message is text or a whole number."
    if "method" not in message:
        has_answer = "result" in message or "error" in message
        return None if has_answer else "The message names no method and answers none."
    if not isinstance(message["method"], str):
        return "The method of a message is text."
    is_plain = isinstance(message.get("params", {}), dict)
    return None if is_plain else "The params of a message are an object."


def header_value(text: str) -> str:
    """Return text as a header can carry it: plain, or marked and in base64."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
