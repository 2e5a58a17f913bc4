"""Classes of text and tiers of trust: what may go where, and whose word weighs more.

Only communication restricts egress. What is derived from several texts is as restricted as its
most restricted source and as trusted as its least trusted one.
"""

from collections.abc import Iterable
from typing import Final

CLASSES: Final = ("communication", "document", "code", "reference")
"""Corpus classes, most restrictive first; all but the first restrict nothing."""

TRUST_TIERS: Final = ("authored", "received", "reference")
"""Trust tiers, most trusted first."""


def most_restrictive(classes: Iterable[str]) -> str:
    """Return the most restrictive of `classes`; `reference` when there are none."""
    return min(classes, key=CLASSES.index, default=CLASSES[-1])


def least_trusted(tiers: Iterable[str]) -> str:
    """Return the lowest tier of trust among `tiers`; `reference` when there are none."""
    return max(tiers, key=TRUST_TIERS.index, default=TRUST_TIERS[-1])


def may_leave_the_machine(corpus_class: str) -> bool:
    """Say whether text of this class may be sent to a provider on another machine."""
    return corpus_class != "communication"
