"""Stopping: work ends between two of its steps, when it is asked to or its time is over."""

import threading
import time
from typing import Final

from graphstore.errors import Cancelled

_STEP_S: Final = 0.1


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

    def wait(self, timeout_s: float) -> bool:
        """Wait until the time is over or somebody asked to stop, at most `timeout_s`."""
        end = time.monotonic() + timeout_s
        # In steps: what it lies within may be stopped without a word to it.
        while not self.is_set() and (left_s := end - time.monotonic()) > 0:
            self._event.wait(min(left_s, _STEP_S))
        return self.is_set()


class Within(Deadline):
    """A deadline within other work: it is over with that, too."""

    def __init__(self, seconds: float, other: Stop) -> None:
        super().__init__(seconds)
        self._other = other

    def is_set(self) -> bool:
        """Say whether the time is over, or this or the other work was asked to stop."""
        return self._other.is_set() or super().is_set()
