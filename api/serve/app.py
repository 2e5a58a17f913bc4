"""App: every face of the service on one port, behind one guard.

It answers from the first moment, also while the graph is not there yet: a face says what it waits
for. Only here do GraphQL and MCP meet.
"""

import contextlib
import html
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp

from api.graphql.app import GraphQLApp
from api.ops import bridge
from api.ops.hall import Hall
from api.serve.assets import Assets, own
from api.serve.guard import LOCAL, Guard
from api.serve.mcp_door import McpDoor, Writes
from api.serve.tokens import Auth, Client
from graphstore.errors import NotFound, Unavailable


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
    pages = Pages(parts)
    routes = [
        Route("/healthz", pages.health),
        Route("/login", pages.login, methods=["GET"]),
        Route("/login", pages.login_key, methods=["POST"]),
        Route("/graphql", pages.explorer, methods=["GET"]),
        Route("/graphql", graphql, methods=["POST"]),
        WebSocketRoute("/graphql", graphql),
        Route("/assets/{name}", pages.asset),
        Route("/mcp", door, methods=["GET", "POST", "DELETE"]),
        Route(LOCAL, door, methods=["GET", "POST", "DELETE"]),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    return Guard(app, parts.hosts, parts.auth, parts.hall)


class Pages:
    """The replies that are neither GraphQL nor MCP."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def health(self, _: Request) -> Response:
        """Say that the service listens, and how it stands."""
        standing = self._parts.hall.standing
        content = {
            "service": "garage",
            "state": standing.state,
            "message": standing.message,
            "version": self._parts.version,
        }
        return JSONResponse(content)

    async def login_key(self, request: Request) -> Response:
        """Give the command line a one-time path that logs a browser in."""
        client: Client | None = request.scope["garage.client"]
        if client is None or client.kind != "cli":
            return PlainTextResponse("Only 'garage open' may ask for a login link.", 403)
        key = self._parts.auth.login_key()
        return JSONResponse({"path": f"/login?k={key}"})

    async def login(self, request: Request) -> Response:
        """Open a browser's session with a one-time key."""
        auth = self._parts.auth
        secret = auth.login(request.query_params.get("k", ""))
        if secret is None:
            text = "This link was used, or is older than a minute. Run 'garage open' again."
            return HTMLResponse(_page("Garage", text), 403)
        # No redirect: after a link from another site browsers send no Strict cookie along one.
        refresh = '<meta http-equiv="refresh" content="0; url=/graphql">'
        response = HTMLResponse(_page("Garage", "Welcome.", refresh))
        response.set_cookie(auth.cookie_name, secret, httponly=True, samesite="strict", path="/")
        return response

    async def explorer(self, request: Request) -> Response:
        """Show GraphiQL."""
        if "query" in request.query_params:
            message = "Send queries by POST, as JSON."
            content = {"errors": [{"message": message, "extensions": {"code": "BAD_REQUEST"}}]}
            return JSONResponse(content, 400)
        return HTMLResponse(own("explorer.html"))

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


def _page(title: str, text: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        f'<link rel="icon" href="data:,"><title>{html.escape(title)}</title></head>'
        f"<body><p>{html.escape(text)}</p></body></html>"
    )
