"""The hall: what every operation is handed, and who asks for it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from api.ops.handling import Handler
from api.ops.rates import Rates
from api.ops.settings import OpsSettings
from api.ops.stopping import Deadline, Stop
from extraction.providers.base import Embedder
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.clock import Chance, Clock, chance, new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.journal import Activity
from graphstore.session import Graph

__all__ = [
    "SERVICE", "Caller", "Deadline", "Garage", "LastAsked", "Stop", "activity", "beside",
]  # fmt: skip


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
    handlers: tuple[Handler, ...] = ()
    """What works the queue, one a kind of job."""
    chance: Chance = chance
    """Spreads what would happen at once."""
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
