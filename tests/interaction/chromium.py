"""Chromium: the system's browser, driven over a pipe; what it may not do besides showing pages."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser, Page

if TYPE_CHECKING:
    from tests.interaction.conftest import Service

NAMES = ("chromium", "chromium-browser", "google-chrome")
LIMIT_MS = 60_000


@dataclass
class Seen:
    """What a browser did besides showing pages."""

    page: Page
    outside: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    foreseen: set[str] = field(default_factory=set)
    """Complaints that belong to what a test does; they may come at any time, also after it."""


@contextmanager
def visiting(chromium: Browser, service: "Service", **options: Any) -> Generator[Seen]:
    """A browser that comes in by a one-time link; at the end it has nothing to complain about."""
    with chromium.new_context(base_url=service.url, **options) as context:
        context.set_default_timeout(LIMIT_MS)
        seen = Seen(context.new_page())
        page = seen.page
        page.on("console", lambda said: seen.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("requestfinished", lambda request: seen.finished.append(request.url))
        page.on("request", lambda request: _note(seen, request.url, service.url))
        page.goto(f"/login?k={service.auth.login_key()}")
        page.wait_for_url("**/search")
        yield seen
        assert seen.outside == []
        assert [each for each in seen.complaints if each not in seen.foreseen] == []
        assert all(url.startswith((service.url, "data:")) for url in seen.finished)
        assert any(url.startswith(service.url) for url in seen.finished)


def _note(seen: Seen, url: str, own: str) -> None:
    if not url.startswith((own, "data:")):
        seen.outside.append(url)
