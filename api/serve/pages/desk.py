"""Desk: where pages ask for operations, and what becomes of a request that cannot be answered."""

from collections.abc import Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from api.ops import bridge
from api.ops.garage import Caller, Garage
from api.ops.hall import Hall
from api.serve.pages.rendering import page, wants_page
from graphstore.errors import (
    Conflict,
    GarageError,
    InvalidInput,
    NotFound,
    Refused,
    TooLarge,
    Unavailable,
)

T = TypeVar("T")
P = ParamSpec("P")

STATUS: Final[dict[type[GarageError], int]] = {
    InvalidInput: 400,
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    TooLarge: 413,
    Unavailable: 503,
    GarageError: 500,
}
_HEADINGS: Final = {
    400: "That cannot be shown",
    403: "That is not allowed",
    404: "There is no such thing here",
    405: "This page is only for reading",
    409: "That does not fit what is there",
    413: "That is too much at once",
    503: "Not possible just now",
}
_REFRESH_S: Final = {"starting": 2, "failed": 15, "stopping": 15}
"""Seconds until a page looks again, by the state of the service."""


class Desk:
    """Runs operations for pages."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    @property
    def hall(self) -> Hall:
        """The hall that operations run in."""
        return self._hall

    async def run(
        self, operation: Callable[Concatenate[Garage, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an operation, at once or not at all: a page tells what the service waits for.

        Raises:
            Unavailable: the service is not ready.
        """
        return await bridge.call(lambda: operation(self._hall.ready(0.0).garage, *args, **kwargs))

    async def problem(self, request: Request, error: Exception) -> Response:
        """Return the page that tells an error of ours; while the service starts, that it does."""
        if not isinstance(error, GarageError):
            raise error
        standing = self._hall.standing
        if isinstance(error, Unavailable) and standing.state in _REFRESH_S:
            wait_s = _REFRESH_S[standing.state]
            headers = {"Retry-After": str(wait_s)}
            return page("waiting.html", 503, headers, standing=standing, wait_s=wait_s, error=error)
        status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
        return _told(request, status, error.message, error.hint)

    async def refused(self, request: Request, error: Exception) -> Response:
        """Return what tells that there is no such page, or not for this method."""
        if not isinstance(error, HTTPException):
            raise error
        is_missing = error.status_code == 404
        hint = "The navigation above leads to every page." if is_missing else ""
        if not wants_page(request):
            return PlainTextResponse(error.detail, error.status_code, error.headers)
        return _told(request, error.status_code, f"{error.detail}.", hint)

    async def broken(self, request: Request, _: Exception) -> Response:
        """Return what tells that something failed here; the log says what."""
        if not wants_page(request):
            return PlainTextResponse("Internal Server Error", 500)
        return _told(request, 500, "Something failed inside Garage.", "Its log says what.")


def caller_of(request: Request) -> Caller:
    """Return who asks, by a page."""
    caller: Caller = request.scope["garage.caller"]
    return Caller(caller.name, "web")


def _told(request: Request, status: int, message: str, hint: str) -> Response:
    return page(
        "problem.html",
        status,
        heading=_HEADINGS.get(status, "That did not work"),
        message=message,
        hint=hint,
        again=request.url.path if status == 503 else "",
    )
