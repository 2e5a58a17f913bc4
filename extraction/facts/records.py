"""Records of facts: what an extractor is given, and what it gives back. Frozen, plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Standing = Literal["stated", "planned", "required", "possible", "conditional", "negated"]
"""How a text puts it. Only what is stated may ever become a triple that holds."""

Kind = Literal["entity", "relationship", "event", "decision", "preference", "quantity", "claim"]

KINDS: Final[tuple[Kind, ...]] = (
    *("entity", "relationship", "event", "decision", "preference", "quantity", "claim"),
)

Granularity = Literal["day", "week", "month", "quarter", "season", "year", "document"]
"""How exact a date is; `document` = the text has none, so it is the document's own date."""


@dataclass(frozen=True, slots=True)
class Validity:
    """When a fact holds, half-open; None is an open end. Moments are UTC."""

    valid_from: datetime | None
    valid_to: datetime | None
    granularity: Granularity
    expression: str = ""
    """The words that say so; empty with the document's date."""


@dataclass(frozen=True, slots=True)
class Salience:
    """How much a fact is worth remembering, and why."""

    score: int
    """1 (mundane) to 10."""
    reasons: tuple[str, ...]
    """Each with what it adds or takes, in order: `+2 decision`."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: a chunk."""

    text: str
    heading: str = ""
    """The path of headings above it, joined by ` › `."""
    code: tuple[tuple[int, int], ...] = ()
    """Stretches of the text that are no prose: code, front matter."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a document beside its text."""

    title: str
    language: str
    """ISO 639-1, or the name of a programming language."""
    date: datetime
    """When it was written; relative dates count from there."""
    authors: tuple[str, ...] = ()
    addressees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactDraft:
    """One fact before it is stored."""

    text: str
    """A sentence that stands alone: pronouns that could be resolved are."""
    quote: str
    """The document's own words, exactly `passage.text[start:end]`."""
    start: int
    """Code points from the start of the passage."""
    end: int
    kind: Kind
    salience: Salience
    confidence: float
    """0 to 1: how sure the extractor is that the text says this."""
    subject: str
    predicate: str
    """The verb as a dictionary has it, with the preposition that leads to the object."""
    object: str
    """Empty: the verb has none."""
    standing: Standing
    validity: Validity
    is_past: bool = False
    """Said of the past: whether it still holds, the text does not say."""
    is_resolved: bool = True
    """False when a pronoun is left that nobody could resolve."""
    passage: int = 0
    """Which passage of its document it is from, counted from 0."""

    @property
    def is_positive(self) -> bool:
        """Say whether it may become a triple: what is only planned, possible or denied may not."""
        return self.standing == "stated" and self.is_resolved and bool(self.object)


@dataclass(frozen=True, slots=True)
class Distillation:
    """What became of one document."""

    facts: tuple[FactDraft, ...]
    skipped: str = ""
    """Why nothing was tried, in one sentence; empty when it was read."""
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many drafts each rule of the filter took, by rule."""


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A document's own sentences that say most of it."""

    text: str
    spans: tuple[tuple[int, int, int], ...]
    """Passage, start and end of each sentence, in the order of the text."""
    source: Literal["extract", "model"] = "extract"
