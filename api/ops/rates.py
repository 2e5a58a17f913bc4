"""Rates: how often a client may hand something over. A bound on runaway clients, not a guard."""

import threading
from collections import deque
from datetime import datetime, timedelta
from typing import Final

from graphstore.errors import TooMany

WINDOW: Final = timedelta(minutes=1)
MAX_CLIENTS: Final = 1_000
"""Clients that are counted apart; the one that was quiet longest is forgotten first."""


class Rates:
    """Counts what each client handed over in the last minute. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, deque[datetime]] = {}

    def take(self, client: str, most: int, now: datetime) -> None:
        """Count one more for a client; `most` a minute, 0 = any number.

        Raises:
            TooMany: it has had its share; nothing was counted.
        """
        if not most:
            return
        with self._lock:
            times = self._times.pop(client, deque())
            self._times[client] = times
            while len(self._times) > MAX_CLIENTS:
                del self._times[next(iter(self._times))]
            # A clock that was set back must not lock anybody out.
            while times and not now - WINDOW < times[0] <= now:
                times.popleft()
            if len(times) >= most:
                raise _too_many(client, most, (times[0] + WINDOW - now).total_seconds())
            times.append(now)


def _too_many(client: str, most: int, wait_s: float) -> TooMany:
    wait_s = max(wait_s, 0.1)
    message = f"'{client}' handed over {most} texts within a minute, which is as many as it may."
    hint = f"Wait {wait_s:.0f} s, or raise memory.writes_per_minute."
    return TooMany(message, hint=hint, retry_after_s=wait_s)
