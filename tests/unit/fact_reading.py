"""What the tests of facts share: one parser, and facts in short."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from extraction.facts.records import About, FactDraft, Passage
from extraction.facts.rules import RuleExtractor

WRITTEN = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
"""A Wednesday."""

ABOUT = About(
    title="Notes of the week",
    language="en",
    date=WRITTEN,
    authors=("Ines Brandt",),
    addressees=("Oskar Wieland",),
)


@cache
def extractor() -> RuleExtractor:
    return RuleExtractor()


def read(text: str, about: About = ABOUT, heading: str = "") -> Sequence[FactDraft]:
    return extractor().facts(Passage(text, heading), about)


def only(text: str, about: About = ABOUT, heading: str = "") -> FactDraft:
    facts = read(text, about, heading)
    assert len(facts) == 1, [fact.text for fact in facts]
    return facts[0]


def triples(text: str, about: About = ABOUT, heading: str = "") -> list[tuple[str, str, str, str]]:
    return [
        (fact.subject, fact.predicate, fact.object, fact.standing)
        for fact in read(text, about, heading)
    ]
