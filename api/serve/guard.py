"""Guard: the one door of the service, around everything, HTTP and WebSocket alike.

Nothing behind it sees a request with a foreign Host or Origin, without a token (but for the health
check and the login), or with a body over 1 MiB. Nothing leaves without the security headers.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.ops.garage import Caller
from api.ops.hall import Hall
from api.serve.pages.entry import no_session, unsent
from api.serve.pages.rendering import sends_form, wants_page
from api.serve.tokens import Auth, Client

OPEN: Final = frozenset({"/healthz", "/login"})
"""No token, but Host and Origin."""
LOCAL: Final = "/mcp/local"
"""The relay's path, and its only one."""
MAX_BODY: Final = 2**20
_BODY_S: Final = 30.0
_SURFACES: Final = {"cli": "cli", "session": "web", "token": "graphql", "relay": "mcp"}

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: with it our own form posts carry `Origin: null` and would be refused.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
WRONG_TOKEN: Final = -401
"""Told as 401, in other words than when there is no token at all."""
_REASONS: Final = {
    400: "The request has no single Host or Origin.",
    401: "A token is needed: 'Authorization: Bearer …'. 'garage token add NAME' makes one.",
    WRONG_TOKEN: "This token opens nothing here: it was removed, or is of another Garage. "
    "'garage token list' shows which there are.",
    403: "This is not allowed from here, or with this token.",
    408: "The body did not arrive in time.",
    413: f"The body is larger than {MAX_BODY:,} bytes.",
    421: "This is not the name that the service listens under.",
}


class Guard:
    """Lets requests through to `app`, with who asks in the scope as `garage.client`."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], auth: Auth, hall: Hall) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._auth = auth
        self._hall = hall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        head = Headers(scope=scope)
        client = self._auth.bearer(head.get("authorization", ""))
        session = self._auth.session(cookie_parser(head.get("cookie", "")))
        if code := self._refusal(scope, head, client, session):
            await _refuse(scope, send, code)
            return
        who = client or session
        scope["garage.client"] = who
        scope["garage.caller"] = _caller(who, scope["path"])
        scope["garage.may_write"] = who is not None and who.may_write
        if scope["path"] in OPEN:
            await self._pass(scope, receive, send)
            return
        with self._hall.client():
            await self._pass(scope, receive, send)

    def _refusal(
        self, scope: Scope, head: Headers, client: Client | None, session: Client | None
    ) -> int:
        """Return the status that refuses a request; 0 = none does."""
        path: str = scope["path"]
        is_unsafe = scope["type"] == "websocket" or scope["method"] not in {"GET", "HEAD"}
        hosts, origins = head.getlist("host"), head.getlist("origin")
        by_session = session is not None and not path.startswith("/mcp")
        is_relay = client is not None and client.kind == "relay"
        rules = (
            (400, len(hosts) != 1 or len(origins) > 1),
            (421, hosts[:1] != [] and hosts[0] not in self._hosts),
            (403, origins[:1] != [] and origins[0] not in self._origins),
            (
                WRONG_TOKEN if "authorization" in head else 401,
                client is None and path not in OPEN and not by_session,
            ),
            (403, is_relay != (path == LOCAL) and client is not None),
            # A cookie alone never writes: a browser names the page that it sends from.
            (403, client is None and is_unsafe and not origins),
            (413, _declared(head) > MAX_BODY),
        )
        return next((code for code, is_broken in rules if is_broken), 0)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._app(scope, _bounded(receive, send), send)
            return
        outgoing = _with_headers(scope, send)
        first: deque[Message] = deque()
        code = 0
        with anyio.move_on_after(_BODY_S) as waiting:
            code = await _take_body(receive, first)
        if waiting.cancelled_caught:
            code = 408
        if code:
            await _refuse(scope, send, code)
            return

        async def replayed() -> Message:
            return first.popleft() if first else await receive()

        await self._app(scope, replayed, outgoing)


def _caller(who: Client | None, path: str) -> Caller | None:
    if who is None:
        return None
    return Caller(who.name, "mcp" if path.startswith("/mcp") else _SURFACES[who.kind])


def _declared(head: Headers) -> int:
    length = head.get("content-length", "0")
    return (
        int(length) if length.isascii() and length.isdigit() and len(length) < 20 else MAX_BODY + 1
    )


async def _take_body(receive: Receive, into: deque[Message]) -> int:
    """Take the whole body in, counted as it comes; return 413 when it is too large."""
    size = 0
    while True:
        message = await receive()
        into.append(message)
        if message["type"] != "http.request":
            return 0
        size += len(message.get("body", b""))
        if size > MAX_BODY:
            return 413
        if not message.get("more_body", False):
            return 0


def _bounded(receive: Receive, send: Send) -> Receive:
    """Return a `receive` that ends a WebSocket whose message is too large."""

    async def bounded() -> Message:
        message = await receive()
        text: str = message.get("text") or ""
        data: bytes = message.get("bytes") or b""
        if message["type"] == "websocket.receive" and max(len(text), len(data)) > MAX_BODY:
            await send({"type": "websocket.close", "code": 1009})
            return {"type": "websocket.disconnect", "code": 1009}
        return message

    return bounded


def _with_headers(scope: Scope, send: Send) -> Send:
    """Return a `send` that adds the security headers to every reply."""
    is_data = not scope["path"].startswith("/assets/")

    async def outgoing(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if is_data:
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return outgoing


async def _refuse(scope: Scope, send: Send, code: int) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    # The connection stays: the server discards the rest of a body, so that the reply arrives.
    request = Request(scope)
    if abs(code) == 401 and sends_form(request):
        response = unsent()
    elif abs(code) == 401 and wants_page(request):
        response = no_session(scope)
    else:
        response = PlainTextResponse(_REASONS[code], abs(code))
    await response(scope, _nothing, _with_headers(scope, send))


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
