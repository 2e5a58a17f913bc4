"""What every extractor promises, whether rules or a model are behind it."""

from collections.abc import Sequence
from typing import Final, Protocol

from extraction.facts.parsing import PACKAGE, VERSION
from extraction.facts.records import About, FactDraft, Passage

RULES: Final = f"rules-1 {PACKAGE}-{VERSION}"
"""Name of the extractor without a model; its number changes with what the rules find."""


class Extractor(Protocol):
    """Reads facts out of passages. Safe to share between threads."""

    @property
    def name(self) -> str:
        """Name and version: facts of another one are extracted anew."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that it reads."""
        ...

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        """Return what the passage states, in its order; the same passage gives the same facts."""
        ...
