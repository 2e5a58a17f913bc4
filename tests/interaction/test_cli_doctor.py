"""`garage doctor`: every part with its state and what mends it, with and without a service."""

import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interaction.homes import Home, garage_home


@pytest.fixture
def home(jar_cache: Path, tmp_path: Path) -> Iterator[Home]:
    with garage_home(tmp_path, jar_cache) as made:
        yield made


def states(report: dict[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for check in report["checks"]:
        found.setdefault(check["part"], set()).add(check["state"])
    return found


@pytest.mark.req("RUN-4")
def test_a_doctor_tries_every_part_from_the_settings_to_an_assistant(home: Home) -> None:
    notes = home.folder / "notes"
    notes.mkdir()
    (notes / "boat.md").write_text("# Boat\n\nThe keel was painted blue in March.\n")
    home.run("add-source", "notes", str(notes))
    home.run("ingest", "notes")
    report = home.json("doctor")
    assert report["healthy"]
    parts = ["settings", "folders", "tokens", "disk", "java", "jars", "service", "neo4j", "writes"]
    parts += ["indexes", "graph", "models", "sources", "queue", "search", "mcp"]
    assert list(dict.fromkeys(check["part"] for check in report["checks"])) == parts
    assert "failed" not in set().union(*states(report).values())
    told = home.run("doctor").stdout
    assert all(f" {part}" in told for part in parts)


@pytest.mark.campaign("C62")
@pytest.mark.req("RUN-4")
def test_a_disk_that_is_nearly_full_is_told_and_everything_else_is_looked_at_all_the_same(
    home: Home,
) -> None:
    settings = home.folder / "garage.json"
    settings.write_text('{"neo4j": {"keep_free_mb": 1048576}}')
    report = home.json("--config", str(settings), "doctor", expect=1)
    found = states(report)
    assert "failed" in found["disk"]
    assert (found["writes"], found["neo4j"]) == ({"failed"}, {"ok"})
    assert found["mcp"] == {"ok"}
    wrong = [check for check in report["checks"] if check["state"] == "failed"]
    assert all("1048576 MiB are needed" in check["detail"] for check in wrong)
    assert all(check["nextStep"] for check in wrong)


@pytest.mark.campaign("C72")
@pytest.mark.req("RUN-4")
def test_a_folder_that_others_may_read_is_found_and_mended(home: Home) -> None:
    home.data.mkdir(mode=0o755)
    home.data.chmod(0o755)
    (home.data / "tokens.json").write_text('{"version": 1, "tokens": []}')
    (home.data / "tokens.json").chmod(0o644)
    report = home.json("doctor", expect=1)
    wrong = [check for check in report["checks"] if check["state"] == "failed"]
    assert {check["part"] for check in wrong} == {"folders"}
    assert {check["nextStep"] for check in wrong} == {"garage doctor --fix"}
    # Nothing was started on ground that must be mended first.
    assert not (home.data / "service.json").exists()
    mended = home.json("doctor", "--fix")
    assert mended["healthy"]
    assert len(mended["mended"]) == 2
    for path in (home.data, home.data / "tokens.json"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.req("RUN-4")
def test_a_file_of_tokens_that_cannot_be_read_is_told(home: Home) -> None:
    home.data.mkdir(mode=0o700)
    tokens = home.data / "tokens.json"
    for content in ("{", "{}", '{"tokens": [1]}'):
        tokens.write_text(content)
        tokens.chmod(0o600)
        report = home.json("doctor", expect=1)
        (wrong,) = [check for check in report["checks"] if check["state"] == "failed"]
        assert (wrong["part"], str(tokens) in wrong["detail"]) == ("tokens", True)
        assert "add tokens again" in wrong["nextStep"]


@pytest.mark.req("RUN-4")
def test_settings_that_do_not_load_and_a_port_that_is_taken_are_named(home: Home) -> None:
    settings = home.folder / "garage.json"
    settings.write_text('{"serch": {"limit": 3}}')
    (only,) = home.json("--config", str(settings), "doctor", expect=1)["checks"]
    assert (only["part"], only["state"]) == ("settings", "failed")
    assert "search" in only["nextStep"]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings.write_text(f'{{"service": {{"port": {port}}}}}')
        report = home.json("--config", str(settings), "doctor", expect=1)
    (wrong,) = [check for check in report["checks"] if check["state"] == "failed"]
    assert str(port) in wrong["detail"]
    assert "service.port" in wrong["nextStep"]


@pytest.mark.req("RUN-4")
def test_a_java_that_does_not_fit_and_a_server_that_is_not_there_are_named(home: Home) -> None:
    settings = home.folder / "garage.json"
    settings.write_text('{"neo4j": {"java": "/nowhere/java"}}')
    report = home.json("--config", str(settings), "doctor", expect=1)
    assert states(report)["java"] == {"failed"}
    with socket.socket() as probing:
        probing.bind(("127.0.0.1", 0))
        port = probing.getsockname()[1]
        settings.write_text(f'{{"neo4j": {{"uri": "bolt://127.0.0.1:{port}"}}}}')
        report = home.json("--config", str(settings), "doctor", expect=1)
    wrong = [check for check in report["checks"] if check["state"] == "failed"]
    assert str(port) in wrong[0]["detail"]
    assert wrong[0]["nextStep"]
