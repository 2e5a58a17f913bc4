"""A stand-in for the service: a small HTTP server that answers by the committed schema.

It runs every operation against `docs/schema.graphql`, so an operation or a variable that the
service would refuse is refused here too, and it keeps what it was asked.
"""

import json
import os
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    execute_sync,
    parse,
    validate,
)
from graphql.language import OperationDefinitionNode, OperationType

SCHEMA = Path(__file__).parents[1] / "docs" / "schema.graphql"
_VALUES = {"Int": 1, "Float": 0.5, "Boolean": False, "ID": "id"}


def schema() -> GraphQLSchema:
    return build_schema(SCHEMA.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def operation(self) -> str:
        return self.body["query"].split("(")[0].split("{")[0].split()[-1]

    @property
    def variables(self) -> dict[str, Any]:
        return self.body["variables"]


Mcp = Callable[[Asked, "Reply"], None]


@dataclass
class StandIn:
    """What it was asked, and what it answers where the schema's defaults do not do."""

    data: Path
    asked: list[Asked] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    """Data by the name of an operation."""
    stages: list[str] = field(default_factory=list)
    """What it says it waits for, one for each look; then it is ready."""
    mcp: Mcp | None = None
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def of(self, operation: str) -> list[dict[str, Any]]:
        """Return the variables of every request of an operation."""
        asked = [each for each in self.asked if each.path == "/graphql"]
        return [each.variables for each in asked if each.operation == operation]


class Reply:
    """The way back to one request."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler

    def json(self, content: Any, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", "application/json")
        self._handler.send_header("Content-Length", str(len(body)))
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def accepted(self) -> None:
        self._handler.send_response(202)
        self._handler.send_header("Content-Length", "0")
        self._handler.end_headers()

    def begin_stream(self) -> None:
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def event(self, name: str, content: Any) -> None:
        data = json.dumps(content) if content is not None else ""
        self._handler.wfile.write(f"event: {name}\r\ndata: {data}\r\n\r\n".encode())

    def wait_for_its_end(self) -> None:
        """Wait until the other side closes the connection."""
        self._handler.connection.settimeout(30)
        self._handler.connection.recv(1)


@contextmanager
def standing_in(data: Path) -> Generator[StandIn]:
    """Serve a data folder until the block ends."""
    stand_in = StandIn(data)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stand_in))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    data.mkdir(parents=True, exist_ok=True)
    tokens = data / "service.token"
    tokens.write_text(json.dumps({"owner": "the-owner", "relay": "the-relay"}), encoding="utf-8")
    record = {
        "pid": os.getpid(),
        "started_at": 0.0,
        "port": server.server_address[1],
        "token_file": str(tokens),
        "version": "0",
    }
    (data / "service.json").write_text(json.dumps(record), encoding="utf-8")
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(stand_in: StandIn) -> type[BaseHTTPRequestHandler]:
    known = schema()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            message = stand_in.stages.pop(0) if stand_in.stages else ""
            state = "starting" if message else "ready"
            content = {"service": "garage", "state": state, "message": message, "version": "0"}
            Reply(self).json(content)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(length)))
            with stand_in.arrived:
                stand_in.asked.append(asked)
                stand_in.arrived.notify_all()
            reply = Reply(self)
            if self.path == "/mcp/local" and stand_in.mcp is not None:
                stand_in.mcp(asked, reply)
            elif self.path == "/login":
                reply.json({"path": "/login?k=once"})
            else:
                self._graphql(asked, reply)

        def _graphql(self, asked: Asked, reply: Reply) -> None:
            answer = answered(known, asked, stand_in.answers)
            if "text/event-stream" not in self.headers["Accept"]:
                reply.json(answer)
                return
            reply.begin_stream()
            reply.event("next", answer)
            reply.event("complete", None)

    return Handler


def answered(known: GraphQLSchema, asked: Asked, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an operation: the one given, or what the schema's types make up."""
    document = parse(asked.body["query"])
    problems = validate(known, document)
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    if operation.operation == OperationType.SUBSCRIPTION:
        # One event is enough, and reads like the answer to a query.
        root = known.subscription_type
        query = asked.body["query"].replace("subscription", "query", 1)
        shown = GraphQLSchema(root, types=list(known.type_map.values()))
        document = parse(query)
    else:
        shown = known
    if problems:
        return {"errors": [{"message": problem.message} for problem in problems]}
    result = execute_sync(
        shown,
        document,
        variable_values=asked.variables,
        field_resolver=_made_up,
        type_resolver=_no_problem,
    )
    if result.errors:
        return {"errors": [{"message": error.message} for error in result.errors]}
    return {"data": answers.get(asked.operation, result.data)}


def _made_up(source: Any, info: Any, /, **arguments: Any) -> Any:
    def value(kind: Any) -> Any:
        if isinstance(kind, GraphQLNonNull):
            return value(kind.of_type)
        if isinstance(kind, GraphQLList):
            return [value(kind.of_type)]
        if isinstance(kind, GraphQLScalarType):
            made = {"DateTime": "2026-03-02T08:00:00+00:00", "String": info.field_name}
            return {**_VALUES, **made}[kind.name]
        return {}

    ended = {"state": "done", "finished": True}
    if info.field_name in ended:
        return ended[info.field_name]
    return value(info.return_type)


def _no_problem(value: Any, info: Any, kind: Any) -> str:
    members = info.schema.get_possible_types(kind)
    return next(
        each.name
        for each in members
        if isinstance(each, GraphQLObjectType)
        and not any(interface.name == "Problem" for interface in each.interfaces)
        and each.name != "Progress"
    )
