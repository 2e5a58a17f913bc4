"""The real command line on a real service: from files to answers, and clean ends."""

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.interaction.homes import Home, garage_home

FILES = 120
TOTAL = f"/{FILES}".encode()
LONG = "This is what the note says, and it says a good deal more. " * 500
"""Reading some hundred of these takes longer than a first sight of progress, on any machine."""


@pytest.fixture(scope="module")
def home(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with garage_home(tmp_path_factory.mktemp("home"), jar_cache) as made:
        yield made


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("# Boat\n\nThe keel was painted blue in March.\n")
    (folder / "oven.md").write_text("# Oven\n\nBread needs forty minutes at 220 degrees.\n")
    (folder / "empty.md").write_text("")
    return folder


def slugs(sources: list[dict[str, str]]) -> list[str]:
    """Return their names; the store of memories is always there."""
    return [each["slug"] for each in sources]


def terminal(ours: int) -> Iterator[bytes]:
    """Yield what is written to a terminal until its other end closes."""
    with os.fdopen(ours, "rb", buffering=0) as screen, suppress(OSError):
        while piece := screen.read(4096):
            yield piece


@pytest.mark.req("RUN-7")
@pytest.mark.campaign("C61")
def test_two_clients_that_start_at_once_meet_at_one_service(
    jar_cache: Path, tmp_path: Path
) -> None:
    with garage_home(tmp_path, jar_cache) as home:
        clients = [home.start("sources", "--json", stderr=subprocess.PIPE) for _ in range(2)]
        answers = [client.communicate(timeout=240) for client in clients]
        assert [client.returncode for client in clients] == [0, 0], answers
        assert [slugs(json.loads(out)) for out, _ in answers] == [["default"], ["default"]]
        log = (home.data / "logs" / "service.log").read_text(encoding="utf-8")
        assert log.count("Garage listens") == 1
    assert not (tmp_path / "data" / "service.token").exists()


@pytest.mark.req("QUE-1")
@pytest.mark.req("FCT-1", part=True)
def test_the_queue_is_worked_and_what_a_document_states_is_shown(home: Home, notes: Path) -> None:
    home.run("add-source", "stated", str(notes))
    home.run("ingest", "stated")
    waiting = home.json("jobs")["edges"]
    assert {each["node"]["kind"] for each in waiting} == {"distil"}
    assert "garage work" in home.run("facts", "stated:boat.md").stderr
    worked = home.json("work", "--budget", "5m")
    assert worked["shift"]["state"] == "done"
    assert worked["queue"]["counts"]["queued"] == 0
    told = home.json("facts", "stated:boat.md")
    assert [fact["quote"] for fact in told["facts"]] == ["The keel was painted blue in March."]
    assert "painted blue" in home.run("facts", "stated:boat.md").stdout
    home.run("remove-source", "stated", "--yes")


@pytest.mark.req("CLI-1")
def test_from_files_to_an_answer_and_away_again(home: Home, notes: Path) -> None:
    added = home.json("add-source", "notes", str(notes), "--trust", "reference")
    assert (added["created"], added["source"]["defaultTrust"]) == (True, "reference")
    (run,) = home.json("ingest", "notes")
    assert run["state"] == "done"
    (skipped,) = home.json("files", "notes", "--state", "skipped")
    assert skipped["path"] == "empty.md"
    found = home.json("search", "what colour is the keel?", "--source", "notes", "--limit", "1")
    assert [hit["path"] for hit in found["hits"]] == ["boat.md"]
    for reference in (found["hits"][0]["documentUid"], "notes:boat.md", "boat.md"):
        assert "painted blue" in home.run("read", reference).stdout
    listed = home.json("documents", "--source", "notes")
    assert {edge["node"]["path"] for edge in listed["edges"]} == {"boat.md", "oven.md"}
    removed = home.json("remove-source", "notes", "--yes")
    assert removed["documents"] == 2
    assert "notes" not in {source["slug"] for source in home.json("sources")}
    verbs = {entry["verb"] for entry in home.json("log")}
    assert {"add-source", "remove-source"} <= verbs
    assert (notes / "boat.md").exists()


@pytest.mark.req("SRC-7")
@pytest.mark.req("SRC-8", part=True)
def test_documents_are_kept_when_their_source_goes_and_go_when_that_is_said(
    home: Home, notes: Path
) -> None:
    home.run("add-source", "notes", str(notes))
    second = home.run("add-source", "again", str(notes))
    assert "'notes' reads the same root" in second.stderr + second.stdout
    home.run("remove-source", "again", "--yes")
    told = home.run("ingest", "notes", "notes")
    assert "2 chunks still without a vector" in told.stderr or home.json("stats")["pending"] == 0
    refused = home.run("remove-source", "notes", "--keep-documents", expect=130)  # nobody answers
    assert "keep its 2 documents" in refused.stderr
    kept = home.json("remove-source", "notes", "--keep-documents", "--yes")
    assert (kept["documents"], kept["keptDocuments"], kept["kept"]["documents"]) == (0, 2, 2)
    assert slugs(home.json("sources")) == ["default", "kept"]
    source = home.json("sources")[1]
    assert (source["slug"], source["standing"], source["automatic"]) == ("kept", "kept", False)
    found = home.json("search", "what colour is the keel?", "--source", "kept")
    assert found["hits"][0]["uri"] == "notes:boat.md"
    assert home.json("ingest") == []
    assert "nothing is read into it" in home.run("ingest", "kept", expect=1).stderr
    accident = home.json("remove-source", "kept", "--yes", expect=5)
    assert accident["error"]["code"] == "REFUSED"
    gone = home.json("remove-source", "kept", "--yes", "--discard-kept")
    assert gone["documents"] == 2
    assert slugs(home.json("sources")) == ["default"]


@pytest.mark.req("SRC-7")
def test_a_source_taken_out_of_the_settings_file_stays_and_is_left_alone(
    home: Home, notes: Path
) -> None:
    config = home.folder / "garage.json"
    declared = {"sources": [{"slug": "declared", "root": str(notes)}]}
    named = ("--config", str(config))
    config.write_text(json.dumps(declared), encoding="utf-8")
    home.run("stop")
    assert [each["standing"] for each in home.json(*named, "sources")] == ["declared", "added"]
    home.run(*named, "ingest")
    config.write_text("{}", encoding="utf-8")
    home.run("stop")
    source, _ = home.json(*named, "sources")
    assert (source["standing"], source["automatic"], source["documents"]) == (
        "undeclared",
        False,
        2,
    )
    assert "no longer declares it" in home.run(*named, "ingest").stderr
    removed = home.json(*named, "remove-source", "declared", "--yes")
    assert (removed["documents"], removed["declared"]) == (2, False)


@pytest.mark.req("CLI-1")
def test_what_does_not_exist_ends_with_3_and_what_cannot_be_with_2(home: Home) -> None:
    for command in (("ingest", "nowhere"), ("read", "nothing"), ("remove-source", "no", "--yes")):
        assert home.json(*command, expect=3)["error"]["code"] == "NOT_FOUND"
    wrong = home.json("search", "q", "--limit", "5000", expect=2)
    assert wrong["error"]["code"] == "INVALID_INPUT"


@pytest.mark.req("SRC-8")
@pytest.mark.req("CLI-1")
def test_ctrl_c_stops_a_run_and_the_next_one_goes_on(home: Home, tmp_path: Path) -> None:
    slug, code, out, seen = interrupted(home, tmp_path / "many")
    assert code == 130
    assert slug.encode() in out
    assert b"Interrupted" in seen
    (run,) = home.json("ingest", slug)
    counts = {each["name"]: each["number"] for each in run["counts"]}
    assert run["state"] == "done"
    assert counts.get("stored", 0) + counts.get("unchanged", 0) == FILES
    home.run("remove-source", slug, "--yes")


def interrupted(home: Home, folder: Path) -> tuple[str, int, bytes, bytes]:
    """Ingest a folder of notes, and press Ctrl-C as soon as progress is seen.

    Return the source's slug, the exit code, and what was said to a file and to the terminal.
    """
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{LONG}\n")
    home.run("add-source", folder.name, str(folder))
    return folder.name, *stopped(home, "ingest", folder.name)


def stopped(home: Home, *arguments: str) -> tuple[int, bytes, bytes]:
    """Run a command, press Ctrl-C as soon as progress is seen; return its code and what it said."""
    ours, theirs = os.openpty()
    client = home.start(*arguments, stderr=theirs)
    os.close(theirs)
    seen = b""
    for piece in terminal(ours):
        has_begun = TOTAL in seen
        seen += piece
        if not has_begun and TOTAL in seen:
            client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=120)
    return client.returncode, out, seen


@pytest.mark.req("QUE-1")
@pytest.mark.req("QUE-3")
def test_ctrl_c_stops_work_within_a_job_and_leaves_the_rest_in_the_queue(
    home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "worked"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{LONG[:3_000]}\n")
    home.run("add-source", "worked", str(folder))
    home.run("ingest", "worked")
    code, _, told = stopped(home, "work")
    assert code == 130
    assert b"given back" in told
    counts = home.json("jobs", "list")
    assert {each["node"]["state"] for each in counts["edges"]} == {"queued"}
    assert home.json("status")["jobsQueued"] > 0
    home.run("remove-source", "worked", "--yes")
    assert home.json("jobs")["edges"] == []


@pytest.mark.req("CLI-1")
def test_a_login_link_opens_once(home: Home) -> None:
    url = urlsplit(home.json("open", "--print")["url"])
    statuses: list[int] = []
    for _ in range(2):
        connection = http.client.HTTPConnection("127.0.0.1", url.port or 0, timeout=30)
        connection.request("GET", f"{url.path}?{url.query}")
        statuses.append(connection.getresponse().status)
        connection.close()
    assert statuses == [200, 403]


@pytest.mark.req("RUN-7")
def test_stop_leaves_nothing_running_and_the_next_command_starts_again(home: Home) -> None:
    documents = home.json("stats")["documents"]
    assert home.json("status")["state"] == "ready"
    assert home.json("stop")["stopped"] is True
    assert home.processes() == []
    assert home.json("status")["running"] is False
    assert home.json("stats")["documents"] == documents
