"""The killer: has a client tell a chapter, killed at a moment or not, and looks at what is left."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from graphstore.settings import Connection
from tests.faults.killing import Kill

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Told:
    """How a telling ended."""

    pid: int
    code: int
    """0, or minus the number of the signal that ended it."""
    writes: dict[str, int]
    states: tuple[str, ...]


class Killer:
    """Owns the process whose forks are the clients."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self.history = folder / "history"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def tell(self, kill: Kill | None = None, *, isolated: bool = False) -> Told:
        """Have the present chapter told, with a history of its own."""
        self.history.write_text("")
        order: dict[str, Any] = {
            "connection": asdict(self._connection),
            "kill": [kill.point, kill.number] if kill else None,
            "folder": str(self._folder),
            "history": str(self.history),
            "answer": str(self._folder / "answer"),
            "isolated": isolated,
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        return Told(
            told["pid"], told["code"], told.get("writes", {}), tuple(told.get("states", ()))
        )
