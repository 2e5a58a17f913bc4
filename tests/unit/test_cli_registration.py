"""`garage serve --install`: what systemd and launchd are told, once and no more."""

import json
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from api.cli import registration
from api.cli.app import run
from api.cli.session import Session

ANALYZE = shutil.which("systemd-analyze")


class Desk:
    """A user of a machine whose service manager writes down what it is told."""

    def __init__(self, folder: Path, program: str) -> None:
        self.folder = folder
        self.told_file = folder / "told"
        tool = folder / "bin" / program
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\necho "$*" >> "{self.told_file}"\nexit ${{MANAGER_ENDS:-0}}\n')
        tool.chmod(0o755)
        self.environment = {
            "HOME": str(folder),
            "PATH": f"{tool.parent}",
            "GARAGE_DATA": str(folder / "my % data"),
        }

    def type(self, *words: str, **variables: str) -> int:
        return run(["serve", *words], {**self.environment, **variables})

    def told(self) -> list[str]:
        lines = self.told_file.read_text().splitlines() if self.told_file.exists() else []
        self.told_file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(sys, "platform", "linux")
    return Desk(tmp_path, "systemctl")


@pytest.fixture
def mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(sys, "platform", "darwin")
    return Desk(tmp_path, "launchctl")


@pytest.mark.req("RUN-7")
def test_systemd_is_told_once_and_forgets_again(linux: Desk) -> None:
    unit = linux.folder / ".config/systemd/user/garage.service"
    assert linux.type("--install") == 0
    assert linux.told() == [
        "--user show-environment",
        "--user daemon-reload",
        "--user enable --now garage.service",
    ]
    first = unit.read_text()
    assert linux.type("--install") == 0
    assert linux.told() == ["--user show-environment"]
    assert unit.read_text() == first
    assert linux.type("--uninstall") == 0
    assert linux.told()[1:] == ["--user disable --now garage.service", "--user daemon-reload"]
    assert not unit.exists()
    assert linux.type("--uninstall") == 0
    assert linux.told() == []


@pytest.mark.req("RUN-7")
def test_launchd_is_told_once_and_forgets_again(mac: Desk) -> None:
    agent = mac.folder / "Library/LaunchAgents/garage.plist"
    assert mac.type("--install") == 0
    assert [line.split()[0] for line in mac.told()] == ["print", "bootstrap"]
    content = plistlib.loads(agent.read_bytes())
    assert Path(content["ProgramArguments"][0]).is_absolute()
    assert content["ProgramArguments"][1:] == ["-P", "-m", "api.cli", "serve"]
    assert content["EnvironmentVariables"] == {"GARAGE_DATA": str(mac.folder / "my % data")}
    assert content["RunAtLoad"] is True
    assert mac.type("--install") == 0
    assert [line.split()[0] for line in mac.told()] == ["print"]
    assert mac.type("--uninstall") == 0
    assert [line.split()[0] for line in mac.told()] == ["print", "bootout"]
    assert not agent.exists()


@pytest.mark.req("RUN-7")
def test_print_shows_the_entry_and_does_nothing(
    linux: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert linux.type("--install", "--print", GARAGE_SEARCH__LIMIT="5") == 0
    printed = capsys.readouterr()
    assert "[Service]" in printed.out
    assert "Not carried over: GARAGE_SEARCH__LIMIT" in printed.err
    assert linux.told() == []
    assert not (linux.folder / ".config").exists()


@pytest.mark.req("RUN-7")
@pytest.mark.skipif(ANALYZE is None, reason="no systemd here")
def test_systemd_itself_takes_the_unit(linux: Desk, tmp_path: Path) -> None:
    unit = tmp_path / "garage.service"
    unit.write_text(registration.systemd(Session(linux.environment)).text)
    checked = subprocess.run(
        [str(ANALYZE), "verify", "--user", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "my %% data" in unit.read_text()


@pytest.mark.req("RUN-7")
def test_where_no_manager_answers_the_next_step_is_told(
    linux: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variables in ({"MANAGER_ENDS": "1"}, {"PATH": str(linux.folder)}):
        assert linux.type("--install", **variables) == 4
        assert "garage serve" in capsys.readouterr().err
    monkeypatch.setattr(sys, "platform", "win32")
    assert linux.type("--install", "--json") == 4
    assert "no systemd and no launchd" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert not (linux.folder / ".config").exists()


@pytest.mark.req("RUN-7")
def test_a_unit_of_somebody_else_stays(linux: Desk) -> None:
    unit = linux.folder / ".config/systemd/user/garage.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/usr/bin/park\n")
    assert linux.type("--install") == 1
    assert linux.type("--uninstall") == 1
    assert "park" in unit.read_text()


@pytest.mark.req("RUN-7")
def test_a_service_that_was_started_on_demand_makes_room(linux: Desk) -> None:
    stopped: list[str] = []
    session = Session(linux.environment)
    found = registration.registration(session)
    assert registration.install(session, found, lambda: stopped.append("stopped"))
    assert not registration.install(session, found, lambda: stopped.append("again"))
    assert stopped == ["stopped"]
