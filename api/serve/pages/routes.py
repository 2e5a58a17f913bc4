"""Routes: the addresses of the pages."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.serve.pages.desk import Desk
from api.serve.pages.document import DocumentPage
from api.serve.pages.entry import HOME, EntryPages
from api.serve.pages.search import SearchPage
from api.serve.pages.status import StatusPage
from api.serve.tokens import Auth
from graphstore.errors import GarageError

_READ: Final = ["GET"]
"""Starlette adds HEAD."""


def routes(desk: Desk, auth: Auth, version: str) -> list[Route]:
    """Return the routes of the pages."""
    documents = DocumentPage(desk)
    return [
        Route("/", _home, methods=_READ),
        Route("/login", EntryPages(auth).login, methods=_READ),
        Route("/search", SearchPage(desk).show, methods=_READ),
        Route("/document", documents.show, methods=_READ),
        Route("/document/original", documents.original, methods=_READ),
        Route("/status", StatusPage(desk, version).show, methods=_READ),
    ]


def handlers(desk: Desk) -> Mapping[Any, Any]:
    """Return what tells errors, by their class."""
    return {
        GarageError: desk.problem,
        HTTPException: desk.refused,
        Exception: desk.broken,
    }


async def _home(_: Request) -> Response:
    return RedirectResponse(HOME, 303)
