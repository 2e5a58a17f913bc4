"""Child: a process of its own for what may hang, swell or take the processor from the service.

It starts with the first call, is used again, and is replaced when a call ends it.
"""

import multiprocessing
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from pebble import ProcessPool


class Child:
    """One child process, for one call at a time. Thread-safe; close it at the end."""

    def __init__(
        self, begin: Callable[..., None], arguments: Sequence[object] = (), max_calls: int = 0
    ) -> None:
        """Prepare it: `begin(*arguments)` runs first in it; it is replaced after `max_calls`."""
        self._settings: Final[dict[str, Any]] = {
            "max_workers": 1,
            "max_tasks": max_calls,
            "initializer": begin,
            "initargs": list(arguments),
        }
        self._lock = threading.Lock()
        self._pool: ProcessPool | None = None

    def call(
        self, function: Callable[..., object], arguments: Sequence[object], timeout_s: float
    ) -> tuple[object, BaseException | None]:
        """Return what a function of a module returns there, or the error that ended it.

        Asked for, not raised: what runs there may fail with anything at all.

        Raises:
            concurrent.futures.CancelledError: `close` was called meanwhile.
        """
        future = self._started().schedule(function, args=tuple(arguments), timeout=timeout_s)
        error = future.exception()
        return (None, error) if error is not None else (future.result(), None)

    def close(self) -> None:
        """End the process, and what it does. A later call starts another one."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()
            pool.join()

    def _started(self) -> ProcessPool:
        with self._lock:
            if self._pool is None:
                # spawn: a fork would copy the service's threads, locks and connections.
                context = cast("Any", multiprocessing.get_context("spawn"))  # stub too narrow
                self._pool = ProcessPool(**self._settings, context=context)
            return self._pool
