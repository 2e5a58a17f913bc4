"""Posted: what a form of ours sent, and who may send one.

The guard lets a post with a session's cookie through from our own pages alone (its `Origin`), and
the cookie is Strict. Whoever writes by a page is therefore the owner; a token is a program and
writes over GraphQL or MCP, where it has its own name. What cannot be written just now is handed
back whole, to be sent again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.ops.garage import Caller
from api.serve.pages.desk import caller_of
from api.serve.pages.rendering import page
from api.serve.tokens import Client
from graphstore.errors import InvalidInput, Refused, Unavailable

MOST_FIELDS: Final = 1_000
_FORM: Final = "application/x-www-form-urlencoded"

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sent:
    """The fields of a form, as they were sent; their lines end as everywhere here."""

    pairs: tuple[Pair, ...]

    def one(self, name: str) -> str:
        """Return the field of a name, the first if there are several; empty = it is not there."""
        return next((value for key, value in self.pairs if key == name), "")

    def many(self, name: str) -> tuple[str, ...]:
        """Return all fields of a name."""
        return tuple(value for key, value in self.pairs if key == name)

    def number(self, name: str) -> int:
        """Return the number that a field holds, such as a revision.

        Raises:
            InvalidInput: it holds none.
        """
        text = self.one(name)
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            message = f"{name} is '{text}'."
            raise InvalidInput(message, hint="Open the page again and send its form.")
        return int(text)


Handler = Callable[[Caller, Sent], Awaitable[Response]]


def posting(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a form: it takes forms of the owner, and loses none."""

    async def endpoint(request: Request) -> Response:
        caller = _owner(request)
        sent = await _sent(request)
        try:
            return await handler(caller, sent)
        except Unavailable as error:
            return page("unsent.html", 503, error=error, path=request.url.path, sent=sent)

    return endpoint


def see(path: str, **pairs: str) -> Response:
    """Send the browser to a page, by GET: to load that page again sends nothing again."""
    return RedirectResponse(f"{path}?{urlencode(pairs, errors='replace')}", 303)


def _owner(request: Request) -> Caller:
    client: Client = request.scope["garage.client"]
    if client.kind != "session":
        message = f"'{client.name}' is a token, and pages are written by the owner alone."
        raise Refused(message, hint="Write over GraphQL or MCP, or log in with 'garage open'.")
    return caller_of(request)


async def _sent(request: Request) -> Sent:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise InvalidInput("This is no form of a page.", hint=f"Send it as {_FORM}.")
    body = (await request.body()).decode(errors="replace")
    try:
        pairs = parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        message = "The form has too many fields."
        raise InvalidInput(message, hint=f"Send {MOST_FIELDS:,} at most.") from error
    # A browser ends every line of a field with both characters.
    return Sent(tuple((name, value.replace("\r\n", "\n")) for name, value in pairs))
