"""App: every face of the service on one port, behind one guard.

It answers from the first moment, also while the graph is not there yet: a face says what it waits
for. Only here do GraphQL and MCP meet.
"""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp

from api.graphql.app import GraphQLApp
from api.ops import bridge
from api.ops.hall import Hall, Standing
from api.serve.assets import Assets
from api.serve.guard import LOCAL, Guard
from api.serve.mcp_door import McpDoor, Writes
from api.serve.pages import routes as page_routes
from api.serve.pages.desk import Desk
from api.serve.pages.rendering import page
from api.serve.tokens import Auth, Client
from graphstore.errors import NotFound, Unavailable

_SIGN_S: Final = 4.0
"""Seconds that Neo4j has for a sign of life, when somebody asks how it stands."""
_LOOK_S: Final = 6.0


@dataclass(frozen=True, slots=True)
class Parts:
    """What the application is made of."""

    hall: Hall
    auth: Auth
    hosts: tuple[str, ...]
    """The names with port that the service listens under: `127.0.0.1:PORT`, …"""
    mcp_writes: Writes
    assets: Assets
    version: str


def build_app(parts: Parts) -> ASGIApp:
    """Return the whole service as one ASGI application. Its lifespan must run."""
    door = McpDoor(parts.hall, parts.mcp_writes, parts.version)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        # The lifespan of an application inside another never runs.
        async with door.open():
            yield

    graphql = GraphQLApp(parts.hall, parts.version)
    desk = Desk(parts.hall)
    replies = Replies(parts)
    routes = [
        Route("/healthz", replies.health),
        *page_routes.routes(desk, parts.auth, parts.version),
        Route("/login", replies.login_key, methods=["POST"]),
        Route("/graphql", replies.explorer, methods=["GET"]),
        Route("/graphql", graphql, methods=["POST"]),
        WebSocketRoute("/graphql", graphql),
        Route("/assets/{name}", replies.asset),
        Route("/mcp", door, methods=["GET", "POST", "DELETE"]),
        Route(LOCAL, door, methods=["GET", "POST", "DELETE"]),
    ]
    errors = page_routes.handlers(desk)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors)
    return Guard(app, parts.hosts, parts.auth, parts.hall)


class Replies:
    """The replies that are neither GraphQL, nor MCP, nor a page."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def health(self, request: Request) -> Response:
        """Say that the service listens, and how it stands; with `?look`, after asking Neo4j."""
        standing = self._parts.hall.standing
        if "look" in request.query_params:
            standing = await self._looked()
        content = {
            "service": "garage",
            "state": standing.state,
            "message": standing.message,
            "hint": standing.hint,
            "version": self._parts.version,
        }
        return JSONResponse(content)

    async def _looked(self) -> Standing:
        try:
            return await bridge.call(self._parts.hall.look, _SIGN_S, timeout_s=_LOOK_S)
        except Unavailable:  # Neo4j is frozen, or every thread waits for it
            message = f"Neo4j gave no sign of life within {_LOOK_S:g} s."
            return Standing("failed", message, "It may be very busy. 'garage stop' ends both.")

    async def login_key(self, request: Request) -> Response:
        """Give the command line a one-time path that logs a browser in."""
        client: Client | None = request.scope["garage.client"]
        if client is None or client.kind != "cli":
            return PlainTextResponse("Only 'garage open' may ask for a login link.", 403)
        key = self._parts.auth.login_key()
        return JSONResponse({"path": f"/login?k={key}"})

    async def explorer(self, request: Request) -> Response:
        """Show GraphiQL."""
        if "query" in request.query_params:
            message = "Send queries by POST, as JSON."
            content = {"errors": [{"message": message, "extensions": {"code": "BAD_REQUEST"}}]}
            return JSONResponse(content, 400)
        return page("explorer.html")

    async def asset(self, request: Request) -> Response:
        """Serve a file of the pages."""
        try:
            asset = await bridge.call(self._parts.assets.read, request.path_params["name"])
        except NotFound as error:
            return PlainTextResponse(str(error), 404)
        except Unavailable as error:
            return PlainTextResponse(str(error), 503)
        headers = {"Cache-Control": "private, max-age=3600"}
        return Response(asset.content, media_type=asset.media_type, headers=headers)
