"""`garage mcp install`: one entry more in an assistant's file, and nothing less."""

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from api.cli.app import run
from api.cli.assistants import HOSTS, settings_of

KEYS = {"vscode": "servers"}
LINUX = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
}
ELSEWHERE = {
    (
        "claude-desktop",
        "darwin",
    ): "/h/Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "win32"): "/a/Claude/claude_desktop_config.json",
    ("claude-code", "darwin"): "/h/.claude.json",
    ("claude-code", "win32"): "/h/.claude.json",
    ("cursor", "darwin"): "/h/.cursor/mcp.json",
    ("cursor", "win32"): "/h/.cursor/mcp.json",
    ("vscode", "darwin"): "/h/Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "/a/Code/User/mcp.json",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


def install(home: Path, client: str, *more: str, **variables: str) -> int:
    environment = {"HOME": str(home), **variables}
    return run(["mcp", "install", "--client", client, *more], environment)


@pytest.mark.req("MCP-1")
@pytest.mark.parametrize("client", LINUX)
def test_an_entry_needs_no_path_and_keeps_what_else_is_there(home: Path, client: str) -> None:
    file, key = home / LINUX[client], KEYS.get(client, "mcpServers")
    other: dict[str, Any] = {"command": "other", "args": []}
    before = {"theme": "dark", key: {"other": other}, "last": [1, {"ü": None}]}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\ufeff" + json.dumps(before), encoding="utf-8")
    file.chmod(0o644)
    assert install(home, client, GARAGE_DATA=str(home / "data")) == 0
    after = json.loads(file.read_text(encoding="utf-8"))
    entry = after[key].pop("garage")
    assert list(after.items()) == list(before.items())
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == ["-P", "-m", "api.cli", "mcp"]
    assert entry["env"] == {"GARAGE_DATA": str(home / "data")}
    assert entry.get("type") == ("stdio" if client in {"claude-code", "vscode"} else None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert [path for path in home.rglob(".*") if path.name.startswith(f".{file.name}.")] == []


@pytest.mark.req("MCP-1")
@pytest.mark.parametrize(("client", "platform"), ELSEWHERE)
def test_every_platform_has_its_place(client: Any, platform: str) -> None:
    environment = {"HOME": "/h", "USERPROFILE": "/h", "APPDATA": "/a"}
    assert (
        settings_of(HOSTS[client], environment, platform).as_posix()
        == (ELSEWHERE[client, platform])
    )


@pytest.mark.req("MCP-1")
def test_a_second_time_changes_nothing_and_a_file_that_is_not_there_is_made(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(home, "cursor", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    written = (home / ".cursor/mcp.json").read_text()
    assert first["changed"] is True
    assert json.loads(written) == {"mcpServers": {"garage": first["entry"]}}
    assert "env" not in first["entry"]
    assert install(home, "cursor", "--json") == 0
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert (home / ".cursor/mcp.json").read_text() == written


@pytest.mark.req("MCP-1")
@pytest.mark.parametrize(
    "content", ['{"servers": {} // mine\n}', "[]", '{"servers": []}', '{"a": 1, "a": 2}']
)
def test_a_file_that_cannot_be_kept_is_left_alone(
    home: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / LINUX["vscode"]
    file.parent.mkdir(parents=True)
    file.write_text(content)
    assert install(home, "vscode") == 2
    assert file.read_text() == content
    told = capsys.readouterr().err
    assert str(file) in told
    assert "--print" in told


@pytest.mark.req("MCP-1")
def test_print_shows_the_entry_and_writes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(home, "vscode", "--print", NEO4J_URI="bolt://localhost") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["servers"]["garage"]["args"][-1] == "mcp"
    assert "Not carried over: NEO4J_URI" in printed.err
    assert list(home.iterdir()) == []
