"""App: the schema over HTTP (POST and SSE) and WebSocket. Who asks is in the scope already.

A request that is none is answered with a reason, never with a traceback; a request has a wall-clock
limit on top of the deadline of each operation in it.
"""

import json
from typing import Any, Final, cast

import anyio
from cross_web import AsyncHTTPRequestAdapter, HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.exceptions import MissingQueryError
from strawberry.http import GraphQLRequestData
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from api.graphql.context import Context
from api.graphql.schema import schema
from api.ops.garage import Caller
from api.ops.hall import Hall
from graphstore.clock import new_uid

WALL_CLOCK_S: Final = 120.0
_TOO_LONG: Final = f"The request took longer than {WALL_CLOCK_S:g} s; ask for less at a time."
_NOT_A_STREAM: Final = (
    "A subscription needs a stream: send it with 'Accept: text/event-stream', or by WebSocket."
)
_NO_OBJECT: Final = 'The body must be one JSON object: {"query": …, "variables": …}.'
_BAD_REQUEST: Final = {"code": "BAD_REQUEST"}
_BY_POST: Final = frozenset({OperationType.QUERY, OperationType.MUTATION})


class GraphQLApp(GraphQL[Context, None]):
    """The schema as an ASGI application."""

    def __init__(self, hall: Hall, version: str) -> None:
        super().__init__(
            schema,
            graphql_ide=None,
            allow_queries_via_get=False,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
        )
        self._hall = hall
        self._version = version

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one WebSocket."""
        if scope["type"] == "websocket":
            await self.run(WebSocket(scope, receive=receive, send=send))
            return
        request = Request(scope, receive)
        try:
            response: Response = await self.run(request)
        except HTTPException as error:
            content = {"errors": [{"message": error.reason, "extensions": _BAD_REQUEST}]}
            response = JSONResponse(content, error.status_code)
        await response(scope, receive, send)

    async def get_context(
        self, request: Request | WebSocket, response: Response | WebSocket
    ) -> Context:
        """Return what resolvers are handed."""
        del response
        caller = cast("Caller", request.scope["garage.caller"])
        may_write = bool(request.scope["garage.may_write"])
        return Context(self._hall, caller, self._version, new_uid(), may_write)

    async def execute_single(
        self,
        request: Request,
        request_adapter: AsyncHTTPRequestAdapter,
        sub_response: Response,
        context: Context,
        root_value: None,
        request_data: GraphQLRequestData,
    ) -> ExecutionResult:
        """Run one operation within the wall-clock limit; a subscription is none of these."""
        del request, request_adapter, sub_response
        try:
            with anyio.fail_after(WALL_CLOCK_S):
                return await self.schema.execute(
                    request_data.query,
                    variable_values=request_data.variables,
                    context_value=context,
                    root_value=root_value,
                    operation_name=request_data.operation_name,
                    allowed_operation_types=_BY_POST,
                    operation_extensions=request_data.extensions,
                )
        except InvalidOperationTypeError as error:
            raise HTTPException(400, _NOT_A_STREAM) from error
        except CannotGetOperationTypeError as error:
            raise HTTPException(400, error.as_http_error_reason()) from error
        except MissingQueryError as error:
            raise HTTPException(400, _NO_OBJECT) from error
        except TimeoutError as error:
            raise HTTPException(503, _TOO_LONG) from error

    def parse_json(self, data: str | bytes) -> Any:
        """Return the body as an object.

        Raises:
            HTTPException: it is none.
        """
        try:
            parsed = super().parse_json(data)
        except (RecursionError, ValueError) as error:
            # Nested too deeply, no UTF-8, or a number of more digits than Python reads.
            raise HTTPException(400, _NO_OBJECT) from error
        if not isinstance(parsed, dict | list):
            raise HTTPException(400, _NO_OBJECT)
        return cast("Any", parsed)

    def decode_json(self, data: str | bytes) -> object:
        """Return what a body says; half a surrogate pair, which nothing takes, as `?`."""
        parsed = super().decode_json(data)
        halves = (b"\\ud", b"\\uD") if isinstance(data, bytes) else ("\\ud", "\\uD")
        if not any(half in data for half in halves):  # type: ignore[operator] - of the same kind
            return parsed
        return json.loads(json.dumps(parsed, ensure_ascii=False).encode(errors="replace"))
