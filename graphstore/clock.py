"""The clock and the source of new ids: the one home of hidden inputs in this room."""

import random  # noqa: TID251 - the one home of chance
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

import uuid_utils

Chance = Callable[[], float]
"""Gives numbers of at least 0 and below 1. Injected, so that a test can foresee them."""


class Clock(Protocol):
    """Tells the time. Injected, so that a test can stop or move it."""

    def now(self) -> datetime:
        """Return the present moment, timezone-aware UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present moment, timezone-aware UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one home of the wall clock


def is_uid(text: str) -> bool:
    """Say whether a text is a uid, as `new_uid` returns them."""
    try:
        return str(uuid_utils.UUID(text)) == text
    except ValueError:
        return False


def new_uid() -> str:
    """Return a new UUIDv7 (RFC 9562) as text: unique, and sortable by its time of birth."""
    return str(uuid_utils.uuid7())


def chance() -> float:
    """Return a number of at least 0 and below 1: to spread what would happen at once."""
    return random.random()  # noqa: S311 - no secret
