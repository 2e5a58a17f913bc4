"""Entry: the pages before a session, for a browser that has none, or none any more.

They need no token, so they load nothing: their style comes from the login's own address.
"""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from api.serve.assets import own
from api.serve.pages.rendering import page
from api.serve.tokens import Auth

HOME: Final = "/search"
"""Where a new session begins."""


class EntryPages:
    """The ways in."""

    def __init__(self, auth: Auth) -> None:
        self._auth = auth

    async def login(self, request: Request) -> Response:
        """Open a browser's session with a one-time key."""
        if "style" in request.query_params:
            style = own("chrome.css") + own("pages.css")
            return Response(style, media_type="text/css; charset=utf-8")
        key = request.query_params.get("k", "")
        secret = self._auth.login(key)
        if secret is None:
            return page("entry.html", 403, was_used=bool(key), again="", was_sent=False)
        # No redirect: after a link from another site browsers send no Strict cookie along one.
        response = page("welcome.html", home=HOME)
        response.set_cookie(
            self._auth.cookie_name, secret, httponly=True, samesite="strict", path="/"
        )
        return response


def no_session(scope: Scope) -> Response:
    """Return the page for a browser without a session; it can try again where it wanted to go.

    After a link from another site a browser has one and does not send it: there, trying again is
    all that is needed.
    """
    raw: bytes = scope.get("raw_path") or b"/"
    # One slash: two, or a backslash, would lead to another host.
    path = "/" + raw.decode("latin-1").lstrip("/\\")
    query: bytes = scope["query_string"]
    again = f"{path}?{query.decode('latin-1')}" if query else path
    return page("entry.html", 401, was_used=False, again=again, was_sent=False)


def unsent() -> Response:
    """Return the page for a form that a browser sent after its session had ended.

    What was typed is not read, so only the browser still has it: it sends it again when its page
    is loaded again.
    """
    return page("entry.html", 401, was_used=False, again="", was_sent=True)
