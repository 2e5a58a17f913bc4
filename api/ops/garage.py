"""The hall: what every operation is handed, and who asks for it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from api.ops.rates import Rates
from api.ops.settings import OpsSettings
from extraction.providers.base import Embedder
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.clock import Clock, new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import Cancelled
from graphstore.journal import Activity
from graphstore.session import Graph


def beside(work: Callable[[], None]) -> None:
    """Do some work in a thread of its own, which ends with the process at the latest."""
    threading.Thread(target=work, name="garage-beside", daemon=True).start()


@dataclass(slots=True)
class LastAsked:
    """What the last search asked: a guess for the next one, never an answer."""

    models: tuple[EmbeddingModel, ...] = ()


@dataclass(frozen=True, slots=True)
class Garage:
    """The parts that operations work with. Made once, by the service."""

    graph: Graph
    readers: Readers
    reading: ReadingSettings
    embedders: tuple[Embedder, ...]
    """The active and filling models, the default one first."""
    settings: OpsSettings
    clock: Clock
    wake_embedding: Callable[[], None] = lambda: None
    """Called when there is something new to embed."""
    later: Callable[[Callable[[], None]], None] = beside
    """Does what no answer waits for, and what may be lost."""
    last_asked: LastAsked = field(default_factory=LastAsked)
    rates: Rates = field(default_factory=Rates)
    """How much each client handed over of late."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the name of the client and the door it came through."""

    name: str
    surface: str
    """`cli`, `graphql`, `mcp`, `web` or `service`."""

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner in person: at the command line, or logged in to a browser.

        Whoever comes with a token of their own, or over MCP, is a program.
        """
        return self.surface in {"cli", "web"}


SERVICE: Final = Caller("garage", "service")
"""What the service does by itself is asked for by nobody else."""


class Stop:
    """A flag that ends work between two steps."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Ask the work to stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Say whether the work was asked to stop."""
        return self._event.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until asked to stop, at most `timeout_s`; return whether it was."""
        return self._event.wait(timeout_s)

    def check(self) -> None:
        """Raise Cancelled when the work was asked to stop."""
        if self.is_set():
            raise Cancelled("The work was stopped.", hint="What was done is kept.")


class Deadline(Stop):
    """A stop that sets itself after a while."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._at = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Say whether the time is over, or somebody asked to stop."""
        return super().is_set() or time.monotonic() >= self._at


def activity(
    garage: Garage, caller: Caller, verb: str, reason: str = "", targets: tuple[str, ...] = ()
) -> Activity:
    """Return the log entry of a write that `caller` asks for."""
    return Activity(
        uid=new_uid(),
        at=garage.clock.now(),
        actor=caller.name,
        verb=verb,
        reason=reason,
        targets=targets,
    )
