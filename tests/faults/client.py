"""What a client of the killer does with an order: it tells a chapter, and dies when told to."""

import importlib
from pathlib import Path
from typing import Any

from extraction.readers import Readers
from extraction.readers.parsed import Raw
from extraction.settings import ReadingSettings
from graphstore.settings import Connection
from tests.faults import story
from tests.faults.killing import Kill, KillingGraph


class _InThisProcess:
    """Parses where it stands: in most rounds the parsing process is not what is tested."""

    def call(self, module: str, raw: Raw) -> object:
        return importlib.import_module(module).parse(raw)

    def close(self) -> None:
        pass


def obey(order: dict[str, Any]) -> dict[str, Any]:
    """Tell the chapter; return how often each moment of a write came, and how the runs ended."""
    kill = Kill(*order["kill"]) if order["kill"] else None
    connection = Connection(**order["connection"])
    with (
        KillingGraph(connection, kill, Path(order["history"])) as graph,
        Readers(ReadingSettings()) as readers,
    ):
        if not order["isolated"]:
            readers._isolation = _InThisProcess()  # type: ignore[assignment] - its one other user
        runs = story.tell(story.Telling(graph, readers, Path(order["folder"])))
        return {"writes": graph.writes, "states": [run.state for run in runs]}
