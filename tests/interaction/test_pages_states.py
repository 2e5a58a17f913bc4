"""Pages of a service that is not there yet, cannot be, or holds nothing."""

from pathlib import Path

import pytest

from api.ops import backfill
from api.ops.garage import Garage
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from graphstore.session import Graph
from tests.graph.conftest import empty
from tests.interaction.browsing import browser, one, shown, store, words
from tests.interaction.conftest import Service, running


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize(
    "path", ["/search?q=river", "/document?ref=river.md", "/status", "/memories"]
)
def test_a_page_of_a_failed_service_says_why_and_what_to_do_and_looks_again(
    closed: Service, path: str
) -> None:
    with browser(closed) as client:
        reply = client.get(path)
    page = shown(reply, 503)
    said = words(one(page, "main"))
    assert "Neo4j does not answer. Start it." in said
    assert "garage status" in said
    assert one(page, "meta[http-equiv=refresh]")["content"] == reply.headers["retry-after"]


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.req("RUN-7", part=True)
def test_a_page_waits_for_a_starting_service_and_then_shows_what_was_asked_of_an_empty_graph(
    garage: Garage, web: Path, tmp_path: Path
) -> None:
    empty(garage.graph)
    backfill.register(garage)
    hall, runs = Hall(), Runs(garage, "tests")
    hall.wait_for("Choosing a Java <script>")
    try:
        with running(hall, tmp_path, web) as service, browser(service) as client:
            reply = client.get("/search?q=river")
            page = shown(reply, 503)
            assert "Garage is starting Choosing a Java <script> …" in words(one(page, "main"))
            assert one(page, "meta[http-equiv=refresh]")["content"] == "2"
            hall.open(Ready(garage, runs))
            page = shown(client.get("/search?q=river"))
            said = words(one(page, ".notice"))
            assert "Nothing is stored yet" in said
            assert "garage add-source" in said
            assert page.select("meta[http-equiv=refresh]") == []
            assert "There is no source yet" in words(shown(client.get("/status")))
            empty_list = one(shown(client.get("/memories")), "main")
            assert "0 memories in 0 sources." in words(empty_list)
            assert "Nothing is remembered yet" in words(one(empty_list, ".notice"))
    finally:
        runs.close()


@pytest.mark.req("EMB-2", part=True)
def test_passages_that_wait_for_a_vector_are_found_by_words_and_told(
    garage: Garage, web: Path, tmp_path: Path
) -> None:
    empty(garage.graph)
    backfill.register(garage)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "eel.md").write_text("# Eel\n\nAn eel in the fish ladder.\n")
    store(garage, "notes", tmp_path / "notes", is_embedded=False)
    hall, runs = Hall(), Runs(garage, "tests")
    hall.open(Ready(garage, runs))
    try:
        with running(hall, tmp_path, web) as service, browser(service) as client:
            page = shown(client.get("/search?q=eel"))
            assert "1 chunk without a vector yet" in words(page.select(".notice")[-1])
            assert len(page.select("li.hit")) == 1
            assert "1 passages wait" in words(shown(client.get("/status")))
            document = shown(client.get("/document?ref=eel.md"))
            assert "Not yet found by meaning" in words(one(document, ".notice"))
    finally:
        runs.close()


def test_what_breaks_inside_is_told_without_what_broke(
    garage: Garage, web: Path, tmp_path: Path
) -> None:
    hall, runs = Hall(), Runs(garage, "tests")
    (tmp_path / "again").mkdir()
    hall.open(Ready(_WithoutGraph("a secret text"), runs))  # pyright: ignore[reportArgumentType]
    try:
        with running(hall, tmp_path, web) as service, browser(service) as client:
            page = shown(client.get("/search"), 500)
            assert "Something failed inside Garage" in words(one(page, "[role=alert]"))
            assert "secret" not in page.get_text()
        with running(hall, tmp_path / "again", web) as service, browser(service) as client:
            plain = client.get("/search", headers={"Accept": "*/*"})
            assert (plain.status_code, plain.text) == (500, "Internal Server Error")
    finally:
        runs.close()


class _WithoutGraph:
    """Parts whose graph is a defect."""

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def graph(self) -> Graph:
        raise ZeroDivisionError(self._text)
