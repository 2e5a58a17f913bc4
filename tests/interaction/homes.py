"""A home for the real command line: a data folder of its own, and every process that it starts."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

GARAGE = (sys.executable, "-P", "-m", "api.cli")
_LIMIT_S = 240


@dataclass(frozen=True)
class Home:
    """Runs `garage` on one data folder."""

    folder: Path
    environment: dict[str, str]

    @property
    def data(self) -> Path:
        return Path(self.environment["GARAGE_DATA"])

    def command(self, *arguments: str) -> list[str]:
        return [*GARAGE, *arguments]

    def run(self, *arguments: str, expect: int = 0) -> "subprocess.CompletedProcess[str]":
        ended = subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
        assert ended.returncode == expect, (arguments, ended.returncode, ended.stdout, ended.stderr)
        return ended

    def json(self, *arguments: str, expect: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", expect=expect).stdout)

    def start(
        self, *arguments: str, stdin: int | None = None, stderr: int | None = None
    ) -> "subprocess.Popen[bytes]":
        command = self.command(*arguments)
        return subprocess.Popen(
            command, env=self.environment, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr
        )

    def processes(self) -> list[str]:
        """Return the command lines of all processes that know this home."""
        found: list[str] = []
        for process in psutil.process_iter():
            try:
                line = " ".join(process.cmdline())
                known = line + " ".join(process.environ().values())
            except psutil.Error:
                continue
            if str(self.folder) in known and process.pid != os.getpid():
                found.append(line)
        return found


@contextmanager
def garage_home(folder: Path, jar_cache: Path) -> Generator[Home]:
    """Give a home with the jars that are there already; at the end nothing of it runs."""
    cache = folder / "cache"
    cache.mkdir()
    (cache / "jars").symlink_to(jar_cache / "jars")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GARAGE_DATA": str(folder / "data"),
        "GARAGE_CACHE": str(cache),
        "LANG": "C.UTF-8",
    }
    home = Home(folder, environment)
    try:
        yield home
    finally:
        home.run("stop")
        left = home.processes()
        assert left == [], left
