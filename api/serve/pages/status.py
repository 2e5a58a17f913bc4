"""Status: how much there is, what is pending and why, and what the last runs did."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from api.ops import sources, stats
from api.ops.garage import Garage
from api.ops.stats import Stats
from api.serve.pages.desk import Desk
from api.serve.pages.rendering import page
from graphstore.outcomes import Run
from graphstore.records import Source

_RUNS: Final = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """How everything stands."""

    stats: Stats
    sources: tuple[Source, ...]
    runs: tuple[Run, ...]


class StatusPage:
    """The page that says how the service stands."""

    def __init__(self, desk: Desk, version: str) -> None:
        self._desk = desk
        self._version = version

    async def show(self, request: Request) -> Response:
        """Show how everything stands."""
        del request
        return page("status.html", it=await self._desk.run(_standing), version=self._version)


def _standing(garage: Garage) -> Standing:
    return Standing(stats.stats(garage), sources.listed(garage), stats.runs(garage, limit=_RUNS))
