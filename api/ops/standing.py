"""Standing: nothing that a program wrote and nobody confirmed outranks the owner's word. Pure.

The bound: a memory that the owner wrote or confirmed, that is near the question (its nearness is at
least `likely`) and among the nearest of its kind (within `NEAR` of the best of them), comes before
every memory that a program wrote and the owner did not confirm, whatever importance that one
claims, however often it was recalled, and were it the question itself, word for word. Beyond that
bound, where the owner said nothing near, the score decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NEAR: Final = 0.05
"""How far from the owner's nearest memory another of the owner's is protected, raw cosine."""
_BELOW: Final = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a search found."""

    uid: str
    score: float
    nearness: float | None
    """Raw cosine under the first model; None = that lane did not find it."""
    is_owners: bool
    """A memory that the owner wrote or confirmed."""
    is_unconfirmed: bool
    """A memory that a program wrote and the owner did not confirm."""


def guarded(found: Sequence[Candidate], likely: float) -> dict[str, float]:
    """Return the scores of `found`, those of the unconfirmed capped under the owner's near ones."""
    owners = [each for each in found if each.is_owners and each.nearness is not None]
    best = max((each.nearness or 0.0 for each in owners), default=likely)
    least = max(likely, best - NEAR)
    near = [each.score for each in owners if (each.nearness or 0.0) >= least]
    cap = min(near, default=float("inf")) * _BELOW
    return {each.uid: min(each.score, cap) if each.is_unconfirmed else each.score for each in found}
