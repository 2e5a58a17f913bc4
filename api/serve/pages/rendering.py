"""Rendering: templates to replies. Everything that a template shows is escaped, without exception.

Steering characters are written out in everything too; `|e` keeps them where a form must send back
exactly what was typed.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from api.serve.assets import own
from api.serve.pages import wording
from api.visible import safe

NAVIGATION: Final = (
    ("/search", "Search"),
    ("/memories", "Memories"),
    ("/status", "Status"),
    ("/graphql", "GraphQL"),
)
"""The pages in the navigation: address, name."""


def page(
    template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """Return a template as a reply."""
    text = _environment().get_template(template).render(values)
    return HTMLResponse(text, status, headers)


def wants_page(request: Request) -> bool:
    """Say whether a browser asks, for something to show."""
    accepted = request.headers.get("accept", "")
    return request.method in {"GET", "HEAD"} and "text/html" in accepted


def sends_form(request: Request) -> bool:
    """Say whether a browser sends a form, and shows what comes back."""
    return request.method == "POST" and "text/html" in request.headers.get("accept", "")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("api.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_visible,
    )
    environment.filters.update(wording.FILTERS)
    shared = cast("dict[str, Any]", environment.globals)
    shared["navigation"] = NAVIGATION
    shared["styles"] = {name: _stamped(name) for name in ("chrome.css", "pages.css")}
    shared["counting"] = _stamped("counting.js")
    return environment


def _visible(value: Any) -> Any:
    """Write out steering characters; what is markup by now was made so on purpose."""
    return safe(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _stamped(name: str) -> str:
    """Return the address of a file of ours; another content is another address."""
    return f"/assets/{name}?{hashlib.sha256(own(name)).hexdigest()[:12]}"
