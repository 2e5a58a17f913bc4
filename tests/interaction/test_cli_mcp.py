"""`garage mcp` as an assistant starts it: a real process, a real service."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from api.client import find
from tests.interaction.homes import Home, garage_home

RSS_LIMIT = 40 * 2**20


@pytest.fixture(scope="module")
def home(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with garage_home(tmp_path_factory.mktemp("home"), jar_cache) as made:
        yield made


class Assistant:
    """Speaks to one `garage mcp`."""

    def __init__(self, home: Home) -> None:
        self.process = home.start("mcp", stdin=subprocess.PIPE)
        self._number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        begun = self.begin(method, **params)
        while True:
            answer = self._line()
            if answer.get("id") == begun:
                return answer

    def begin(self, method: str, **params: Any) -> int:
        """Send a request and wait for nothing; return its id."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def greet(self) -> dict[str, Any]:
        answer = self.ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "test-assistant", "version": "1"},
        )
        self._send({"method": "notifications/initialized"})
        return answer

    def leave(self) -> bytes:
        rest, _ = self.process.communicate(timeout=60)
        return rest

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message


@pytest.mark.req("MCP-3")
def test_an_assistant_is_served_over_stdio_by_a_small_process(home: Home) -> None:
    assistant = Assistant(home)
    assert assistant.greet()["result"]["serverInfo"]["name"]
    names = {tool["name"] for tool in assistant.ask("tools/list")["result"]["tools"]}
    assert "rag_search" in names
    home.run("stats")  # waits until the graph is there
    answer = assistant.ask("tools/call", name="rag_stats", arguments={})
    assert answer["result"].get("isError") is not True
    if sys.platform == "linux":
        assert psutil.Process(assistant.process.pid).memory_info().rss < RSS_LIMIT
    assert assistant.leave() == b""
    assert assistant.process.returncode == 0


@pytest.mark.req("MCP-3")
@pytest.mark.req("RUN-7")
def test_a_service_that_was_killed_is_started_again_by_the_next_request(home: Home) -> None:
    assistant = Assistant(home)
    assistant.greet()
    before = find(home.data)
    assert before is not None
    os.kill(before.pid, signal.SIGKILL)
    psutil.wait_procs([p for p in psutil.process_iter() if p.pid == before.pid], timeout=30)
    assert assistant.ask("tools/list")["result"]["tools"]
    after = find(home.data)
    assert after is not None
    assert after.pid != before.pid
    assert assistant.leave() == b""


@pytest.mark.req("MCP-1")
def test_an_installed_entry_starts_from_an_empty_environment(home: Home, tmp_path: Path) -> None:
    config = tmp_path / "garage.json"
    config.write_text("{}", encoding="utf-8")
    told = home.json("--config", str(config), "mcp", "install", "--client", "claude-desktop")
    file = json.loads(Path(told["file"]).read_text(encoding="utf-8"))
    entry = file["mcpServers"]["garage"]
    process = subprocess.Popen(
        [entry["command"], *entry["args"]],
        env=entry["env"],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "desk", "version": "1"},
        },
    }
    out, _ = process.communicate(json.dumps(hello).encode() + b"\n", timeout=240)
    assert json.loads(out)["result"]["serverInfo"]["name"] == "garage"
