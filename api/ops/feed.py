"""Feed: who follows something hears every event of it, and the last one again while none comes."""

import queue
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """The events of one thing that is under way. Thread-safe."""

    def __init__(self, first: T) -> None:
        self._lock = threading.Lock()
        self._followers: list[queue.SimpleQueue[T]] = []
        self._last = first

    @property
    def last(self) -> T:
        """The last event."""
        with self._lock:
            return self._last

    def tell(self, event: T) -> None:
        """Tell all who follow."""
        with self._lock:
            self._last = event
            for follower in self._followers:
                follower.put(event)

    def follow(self, heartbeat_s: float) -> Iterator[T]:
        """Yield the last event and those that come; the last one again after `heartbeat_s`.

        A follower leaves by closing the iterator: it can only do so when it is spoken to.
        """
        events: queue.SimpleQueue[T] = queue.SimpleQueue()
        with self._lock:
            events.put(self._last)
            self._followers.append(events)
        try:
            while True:
                try:
                    yield events.get(timeout=heartbeat_s)
                except queue.Empty:
                    yield self.last
        finally:
            with self._lock:
                self._followers.remove(events)
