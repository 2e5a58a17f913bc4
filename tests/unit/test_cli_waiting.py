"""What the command line says while it waits, where nobody watches; and help that is not cut."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.cli.app import run
from api.cli.progress import Progress
from api.client import service as service_module
from tests.stand_in import standing_in

GARAGE = (sys.executable, "-P", "-m", "api.cli")


@pytest.mark.req("CLI-1")
def test_progress_without_a_terminal_prints_its_last_line_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Progress("notes") as progress:
        for done in range(1, 401):
            progress.show(done, 400)
    assert capsys.readouterr().err == "notes: 400 of 400\n"
    with Progress("setup") as progress:
        progress.tell("Fetching")
    assert capsys.readouterr().err == "setup: Fetching\n"
    with Progress("nothing"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.req("CLI-1")
@pytest.mark.req("RUN-7")
def test_a_start_without_a_terminal_says_each_stage_once_on_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(service_module, "_PATIENCE_S", -1.0)
    with standing_in(tmp_path / "data") as service:
        service.stages = [
            "Seen as the service is found",
            "Fetching Neo4j: 0 of 225 jars",
            "Fetching Neo4j: 8 of 225 jars",
            "Starting Neo4j",
            "Starting Neo4j",
        ]
        code = run(["stats", "--json"], {"GARAGE_DATA": str(service.data), "HOME": str(tmp_path)})
    told = capsys.readouterr()
    assert code == 0
    assert json.loads(told.out)
    assert told.err.splitlines() == [
        "Waiting: Fetching Neo4j: 0 of 225 jars",
        "Waiting: Starting Neo4j",
    ]


@pytest.mark.req("CLI-1")
def test_help_shows_every_description_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["config", "--help"], ["token", "--help"]):
        assert run(words, {"HOME": "/"}) == 0
        shown = capsys.readouterr().out.partition("Commands:")[2]
        assert shown
        assert "..." not in shown
        assert "…" not in shown


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_completion_script_asks_garage_itself(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", shell], {"HOME": "/"}) == 0
    assert f"complete_{shell}" in (script := capsys.readouterr().out)
    assert "_GARAGE_COMPLETE" in script
    assert run(["completion", "--json"], {"HOME": "/", "SHELL": f"/bin/{shell}"}) == 0
    assert json.loads(capsys.readouterr().out)["shell"] == shell
    assert run(["completion"], {"HOME": "/", "SHELL": "/bin/csh"}) == 2


@pytest.mark.req("CLI-1")
def test_a_shell_that_asks_is_answered_with_commands() -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "_GARAGE_COMPLETE": "complete_bash",
        "COMP_WORDS": "garage config s",
        "COMP_CWORD": "2",
    }
    answer = subprocess.run(GARAGE, env=environment, capture_output=True, text=True, timeout=60)
    assert answer.stdout.split() == ["show", "set", "schema"]


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("garage search --trust a", ["authored"]),
        ("garage add-source s /r --kind m", ["maildir", "mbox", "memory"]),
        ("garage memory add --kind de", ["decision"]),
        ("garage files --state s", ["stored", "skipped"]),
        ("garage config get search.l", ["search.limit", "search.lane_k", "search.log_enabled"]),
        ("garage ingest n", []),  # Tab starts no service to ask for its sources
    ],
)
def test_a_shell_that_asks_is_answered_with_values(
    tmp_path: Path, typed: str, offered: list[str]
) -> None:
    assert [each for each in _offered(tmp_path, typed) if "log_ret" not in each] == offered
    assert not (tmp_path / "data").exists()


@pytest.mark.req("CLI-1")
def test_a_shell_that_asks_is_answered_with_the_sources_of_a_running_service(
    tmp_path: Path,
) -> None:
    with standing_in(tmp_path / "data") as service:
        items = [{**SOURCE, "slug": "notes"}, {**SOURCE, "slug": "mail"}]
        service.answers["Sources"] = {"sources": {"items": items}}
        assert _offered(tmp_path, "garage ingest n") == ["notes"]
        assert _offered(tmp_path, "garage search --source m") == ["mail"]


SOURCE = {
    "root": "/r", "kind": "filesystem", "defaultClass": "document", "defaultTrust": "authored",
    "standing": "added", "automatic": True, "documents": 0, "chunks": 0,
}  # fmt: skip


def _offered(folder: Path, typed: str) -> list[str]:
    environment = {
        "HOME": str(folder),
        "GARAGE_DATA": str(folder / "data"),
        "PATH": os.environ["PATH"],
        "_GARAGE_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    answer = subprocess.run(GARAGE, env=environment, capture_output=True, text=True, timeout=60)
    return answer.stdout.split()
