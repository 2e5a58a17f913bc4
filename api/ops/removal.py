"""Removal: a source and what is under way over it end together.

Nothing is stored in a source from the moment its removal begins, so a run that does not end in
time can do no harm; it is waited for all the same, so that its end is not told as an accident.
"""

from dataclasses import dataclass
from typing import Final

from api.ops import sources
from api.ops.garage import Caller
from api.ops.hall import Ready
from api.ops.sources import RemovalRequest
from graphstore.records import KEPT, Source
from graphstore.removals import Removal

HALT_S: Final = 15.0
"""How long a run may take to end after the file that it is at."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a removal did, as the graph tells afterwards."""

    removal: Removal
    halted: bool
    """Whether an ingest was under way and was stopped."""
    kept: Source | None
    """The source of kept documents as it is now; None when there is none."""


def remove(ready: Ready, caller: Caller, slug: str, reason: str, how: RemovalRequest) -> Outcome:
    """Stop the run over a source and remove it.

    Raises:
        NotFound: there is none of this slug.
        Refused: it is the source `kept`, and nobody said so on purpose.
        Conflict: a removal that keeps the documents was begun, and this one would not.
    """
    garage = ready.garage
    sources.check_removal(garage, slug, how)
    halted = ready.runs.halt(slug, HALT_S)
    removal = sources.remove(garage, caller, slug, reason, how)
    kept = next((each for each in sources.listed(garage) if each.slug == KEPT), None)
    return Outcome(removal, halted, kept)
