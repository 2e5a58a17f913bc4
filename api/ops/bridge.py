"""Bridge: the one way from the asynchronous faces to the synchronous operations.

An operation runs in a worker thread and has a deadline. An iterator that blocks becomes an
asynchronous one that is closed when its reader goes away, however it goes.
"""

import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Final, Generic, TypeVar, TypeVarTuple, cast

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

from graphstore.errors import Unavailable

DEADLINE_S: Final = 60.0
THREADS: Final = 16
FOLLOWERS: Final = 32

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_threads: Final[RunVar[anyio.CapacityLimiter]] = RunVar("garage_threads")
_followers: Final[RunVar[anyio.CapacityLimiter]] = RunVar("garage_followers")
_END: Final = object()


async def call(function: Callable[[*Ts], T], *args: *Ts, timeout_s: float = DEADLINE_S) -> T:
    """Run an operation in a worker thread and return what it returns.

    An operation past its deadline, or whose caller went away, runs to its own end unheard: each
    has deadlines of its own on everything that it waits for.

    Raises:
        Unavailable: there is no answer after `timeout_s`.
    """
    with anyio.move_on_after(timeout_s):
        return await to_thread.run_sync(
            function,
            *args,
            abandon_on_cancel=True,
            limiter=_limiter(_threads, THREADS),
        )
    message = f"There was no answer within {timeout_s:g} s."
    raise Unavailable(message, hint="Ask for less at a time, or try again in a minute.")


async def stream(open_iterator: Callable[[], Iterator[T]]) -> AsyncGenerator[T]:
    """Yield the items of a blocking iterator; its `finally` runs when the reader goes away.

    The iterator must yield every few seconds: so long does its end wait for a step under way.
    """
    steps = _Steps(await call(open_iterator))
    try:
        while (item := await to_thread.run_sync(steps.next, limiter=_followed())) is not _END:
            yield cast("T", item)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(steps.close)


class _Steps(Generic[T]):
    """A blocking iterator that is stepped and closed from threads, one at a time.

    A task may be cancelled while its thread goes on, and a running generator cannot be closed: the
    lock makes the end wait for the step under way.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._lock = threading.Lock()

    def next(self) -> T | object:
        """Return the next item, or `_END`."""
        with self._lock:
            return next(self._items, _END)

    def close(self) -> None:
        """End a generator, which runs its `finally`."""
        with self._lock:
            if isinstance(self._items, Generator):
                self._items.close()


def _followed() -> anyio.CapacityLimiter:
    return _limiter(_followers, FOLLOWERS)


def _limiter(home: RunVar[anyio.CapacityLimiter], size: int) -> anyio.CapacityLimiter:
    """Return the limiter of this event loop."""
    try:
        return home.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(size)
        home.set(limiter)
        return limiter
