"""Routes: the addresses of the pages."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.serve.pages.core import CorePage
from api.serve.pages.desk import Desk
from api.serve.pages.document import DocumentPage
from api.serve.pages.entry import HOME, EntryPages
from api.serve.pages.memories import MemoriesPage
from api.serve.pages.memory import MemoryPages
from api.serve.pages.memory_editor import MemoryEditor
from api.serve.pages.posted import posting
from api.serve.pages.search import SearchPage
from api.serve.pages.status import StatusPage
from api.serve.tokens import Auth
from graphstore.errors import GarageError

_READ: Final = ["GET"]
"""Starlette adds HEAD."""
_WRITE: Final = ["POST"]


def routes(desk: Desk, auth: Auth, version: str) -> list[Route]:
    """Return the routes of the pages."""
    documents = DocumentPage(desk)
    return [
        *_memories(desk),
        Route("/", _home, methods=_READ),
        Route("/login", EntryPages(auth).login, methods=_READ),
        Route("/search", SearchPage(desk).show, methods=_READ),
        Route("/document", documents.show, methods=_READ),
        Route("/document/original", documents.original, methods=_READ),
        Route("/status", StatusPage(desk, version).show, methods=_READ),
    ]


def _memories(desk: Desk) -> list[Route]:
    listed, one, editor, core = (
        MemoriesPage(desk),
        MemoryPages(desk),
        MemoryEditor(desk),
        CorePage(desk),
    )
    return [
        Route("/memories", listed.show, methods=_READ),
        Route("/memories/new", editor.blank, methods=_READ),
        Route("/memories/new", posting(editor.add), methods=_WRITE),
        Route("/memories/forget", listed.ask, methods=_READ),
        Route("/memories/forget", posting(listed.forget), methods=_WRITE),
        Route("/memories/core", core.show, methods=_READ),
        Route("/memories/core", posting(core.write), methods=_WRITE),
        Route("/memory", one.show, methods=_READ),
        Route("/memory/edit", editor.filled, methods=_READ),
        Route("/memory/edit", posting(editor.save), methods=_WRITE),
        Route("/memory/history", one.history, methods=_READ),
        Route("/memory/undo", posting(one.undo), methods=_WRITE),
        Route("/memory/confirm", posting(one.confirm), methods=_WRITE),
        Route("/memory/reread", posting(one.reread), methods=_WRITE),
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
