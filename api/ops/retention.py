"""Retention: how much of a memory is still there, computed from what was counted. Pure.

retention = exp(-t / S), S = S0 · growth^recalls (Ebbinghaus 1885, with the effect of spacing):
within [0, 1], falling in time, rising in recalls. A clock that is set back reads as no time at all.
Nothing here is ever stored.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from api.ops.settings import MemorySettings

_DAY_S: Final = 86_400.0
_LONGEST_DAYS: Final = 1e6
"""Days beyond which a memory does not last longer: arithmetic must not overflow."""
REHEARSED_IMPORTANCE: Final = 0.8
"""Importance from which on a memory is rehearsed before it would fade."""
_LINK_HEAT: Final = 0.1
_MOST_LINKS: Final = 3
_FRESH_HEAT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Counted:
    """What retention and heat are computed from."""

    created_at: datetime
    refreshed_at: datetime | None = None
    """The last recall or rehearsal."""
    recalls: int = 0
    recall_days: int = 0
    """Days on which it was recalled."""
    links: int = 0
    """Documents and memories that it rests on or that rest on it."""
    importance: float = 0.5
    is_owners: bool = False
    """Whether the owner wrote or confirmed it, or it is a file."""
    is_cited: bool = False
    """Whether another memory rests on it."""


def stability_days(recalls: int, settings: MemorySettings) -> float:
    """Return S: days after which retention is down to 1/e."""
    grown = math.log(settings.stability_days) + max(recalls, 0) * math.log(
        settings.stability_growth
    )
    return min(math.exp(min(grown, math.log(_LONGEST_DAYS))), _LONGEST_DAYS)


def retention(counted: Counted, now: datetime, settings: MemorySettings) -> float:
    """Return how much is still there, 0 to 1; 1 for what is the owner's, unless that decays too."""
    if counted.is_owners and not settings.owner_decays:
        return 1.0
    return math.exp(-_age_days(counted, now) / stability_days(counted.recalls, settings))


def is_to_archive(counted: Counted, now: datetime, settings: MemorySettings) -> bool:
    """Say whether a memory has faded and is unimportant."""
    return (
        retention(counted, now, settings) < settings.archive_below
        and counted.importance < settings.archive_importance
        and not is_to_rehearse(counted, now, settings)
    )


def is_to_rehearse(counted: Counted, now: datetime, settings: MemorySettings) -> bool:
    """Say whether a memory is about to fade that is important or rested upon. Never the owner's."""
    if counted.is_owners:
        return False
    is_worth_it = counted.is_cited or counted.importance >= REHEARSED_IMPORTANCE
    return is_worth_it and retention(counted, now, settings) < 2 * settings.archive_below


def heat(counted: Counted, now: datetime, settings: MemorySettings) -> float:
    """Return how much a memory is used: days of recall, links, and how fresh it is.

    Days count, not recalls: a client that recalls its own memory in a loop warms nothing.
    """
    fresh = math.exp(-_age_days(counted, now) / settings.stability_days)
    links = min(max(counted.links, 0), _MOST_LINKS)
    return math.log1p(max(counted.recall_days, 0)) + _LINK_HEAT * links + _FRESH_HEAT * fresh


def is_to_promote(counted: Counted, now: datetime, settings: MemorySettings) -> bool:
    """Say whether a memory of the short tier has proved useful."""
    return heat(counted, now, settings) >= settings.promote_heat


def _age_days(counted: Counted, now: datetime) -> float:
    since = max(counted.created_at, counted.refreshed_at or counted.created_at)
    return max((now - since).total_seconds(), 0.0) / _DAY_S
