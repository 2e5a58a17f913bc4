"""Browsing: pages as a browser without JavaScript gets them, and hostile text to show there."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
from bs4 import BeautifulSoup, Tag

from api.ops import backfill, ingest, sources
from api.ops.garage import Garage, Stop
from api.ops.sources import SourceRequest
from tests.interaction.conftest import OWNER, Service

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
SCRIPT = "<script>alert(1)</script>"
HOSTILE = f"{SCRIPT} \"><img src=x onerror=alert(2)> 'quoted' & \x1b[31mred \u202egnp.exe"
"""What a stored text may hold. The last one turns the direction of all that follows."""


@contextmanager
def browser(service: Service) -> Generator[httpx.Client]:
    """A browser with a session."""
    secret = service.auth.login(service.auth.login_key()) or ""
    cookies = {service.auth.cookie_name: secret}
    with httpx.Client(base_url=service.url, cookies=cookies, headers=HTML, timeout=60) as client:
        yield client


def shown(reply: httpx.Response, status: int = 200) -> BeautifulSoup:
    """Return a page that came with this status, read as a browser reads it."""
    assert reply.status_code == status, reply.text[:2_000]
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    return BeautifulSoup(reply.text, "lxml")


def one(page: BeautifulSoup | Tag, selector: str) -> Tag:
    """Return the only element that a selector matches."""
    (found,) = page.select(selector)
    return found


def words(element: BeautifulSoup | Tag) -> str:
    """Return what an element says, on one line."""
    return " ".join(element.get_text(" ").split())


def store(
    garage: Garage, slug: str, root: Path, kind: str = "", *, is_embedded: bool = True
) -> None:
    """Make a folder a source, and read what is in it."""
    sources.add(garage, OWNER, SourceRequest(slug, str(root), kind))
    run = ingest.new_run(garage, OWNER, slug, "tests")
    ingest.ingest(garage, OWNER, ingest.Request(run, False, lambda _: None, Stop()))
    if is_embedded:
        backfill.fill(garage, Stop())
