"""Leases: a job that is worked on is held, by a thread of its own, until it is done."""

import threading
from types import TracebackType
from typing import Self

from api.ops.stopping import Stop
from graphstore import claims
from graphstore.claims import Claim
from graphstore.errors import GarageError, LeaseLost
from graphstore.session import Graph


class Lease:
    """Renews the lease of a job for the block; when it is lost, the work is asked to stop."""

    def __init__(self, graph: Graph, claim: Claim, stop: Stop, renew_s: float) -> None:
        self._graph = graph
        self._claim = claim
        self._stop = stop
        self._renew_s = renew_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._hold, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Not waited for: a renewal that comes late finds the job ended, and does nothing.
        self._over.set()

    def _hold(self) -> None:
        while not self._over.wait(self._renew_s):
            try:
                claims.renew(self._graph, self._claim)
            except LeaseLost:
                self._stop.set()
                return
            except GarageError:
                # The graph may be back before the lease ends.
                continue
