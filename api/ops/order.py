"""Order: which job comes first. By what rests on what, then by how warm its document is. Pure.

A rank is a whole number, the lowest first: a band for each kind, and within it a moment. The moment
is that of a document as warm as one that was changed just then: now + μ · ln(heat). As all warmth
fades by the same curve, ranks that were computed at different times compare as if all were
computed now, and a job never has to be ranked again for the time that goes by.
"""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from api.ops.settings import WorkSettings
from graphstore.privacy import TRUST_TIERS

BAND: Final = 10**13
"""Ranks of one band: more than there are milliseconds to the year 2286."""
KINDS: Final = ("link", "distil")
"""Kinds of jobs, each after those that it rests on."""
SOON: Final = 1
"""The band of what somebody waits for; the others follow in the order of `KINDS`."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OTHERS: Final = 0.5
"""How warm the words of others are, beside the owner's own."""


def band(kind: str) -> int:
    """Return the band of a kind of job; of one that is not known, the last."""
    known = KINDS.index(kind) if kind in KINDS else len(KINDS)
    return SOON + 1 + known


def rank(band: int, heat: float, now: datetime, settings: WorkSettings) -> int:
    """Return the rank of a job of a band whose document is as warm as `heat` now."""
    now_ms = (now - _EPOCH).total_seconds() * 1_000
    moment = now_ms + settings.heat_days * 86_400_000 * math.log(max(heat, 1e-300))
    return band * BAND + min(max(BAND - 1 - int(moment), 0), BAND - 1)


def heat(
    mtime: datetime,
    trust: str,
    now: datetime,
    settings: WorkSettings,
    warmed: tuple[Sequence[datetime], int] = ((), 0),
) -> float:
    """Return how warm a document is: by its age, by the searches that returned it, by memories.

    `warmed` are the moments of those searches, and the number of memories that rest on it.
    """
    searches, memories = warmed
    own = 1.0 if trust == TRUST_TIERS[0] else _OTHERS
    return (
        settings.heat_age * own * _faded(mtime, now, settings)
        + settings.heat_search * sum(_faded(at, now, settings) for at in searches)
        + settings.heat_memory * memories
    )


def _faded(at: datetime, now: datetime, settings: WorkSettings) -> float:
    # A clock that is set back reads as no time at all.
    days = max((now - at).total_seconds(), 0.0) / 86_400
    return math.exp(-min(days / settings.heat_days, 690.0))
