"""The filter after extraction, the languages that are read, and the passages of a document."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.facts.distilling import distil, passages_of
from extraction.facts.filtering import Profile, fact_sha256, filtered
from extraction.facts.records import About, FactDraft, Passage, Salience, Validity
from tests.unit.fact_reading import ABOUT, WRITTEN, extractor

pytestmark = pytest.mark.req("FCT-2", part=True)

WORDS = "Marta sold the old boat to Jon."
PASSAGES = (Passage(WORDS * 3), Passage(WORDS * 3))


def draft(text: str = WORDS, score: int = 5, passage: int = 0, start: int = 0) -> FactDraft:
    return FactDraft(
        text=text,
        quote=PASSAGES[passage].text[start : start + 10],
        start=start,
        end=start + 10,
        kind="event",
        salience=Salience(score, ()),
        confidence=0.9,
        subject="Marta",
        predicate="sell",
        object="boat",
        standing="stated",
        validity=Validity(WRITTEN, None, "document"),
        passage=passage,
    )


def kept(*drafts: FactDraft, profile: Profile | None = None, title: str = "") -> list[str]:
    found = filtered(drafts, PASSAGES, title, profile or Profile())
    return [fact.text for fact in found.facts]


class Scripted:
    """An extractor that says what it was told to."""

    name = "scripted"
    languages = frozenset({"en"})

    def __init__(self, *drafts: FactDraft) -> None:
        self._drafts = drafts

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        return self._drafts


def test_facts_below_the_salience_floor_are_dropped() -> None:
    assert kept(draft(score=2)) == []
    assert kept(draft(score=3)) == [WORDS]
    assert kept(draft(score=3), profile=Profile(min_salience=4)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Marta sold it.",
        "MARTA SOLD THE OLD BOAT",
        "12 June 2026 at 10:30",
        "https://example.org a@example.org www.example.org 2026-01-01",
    ],
)
def test_what_has_not_the_shape_of_a_fact_is_dropped(text: str) -> None:
    assert kept(draft(text)) == []


def test_what_repeats_the_title_is_dropped() -> None:
    assert kept(draft("Marta sold the boat."), title="Marta sold the boat") == []
    assert kept(draft(), title="Boats of the year") == [WORDS]


def test_a_quote_that_does_not_stand_where_it_says_is_dropped() -> None:
    true = draft()
    lies = [
        replace(true, quote="Jon sold t"),
        replace(true, start=5, end=5, quote=""),
        replace(true, start=-3),
        replace(true, end=100_000),
        replace(true, passage=7),
    ]
    assert kept(*lies) == []
    assert filtered(lies, PASSAGES, "", Profile()).dropped == {"ungrounded": 5}


def test_near_duplicates_become_the_best_of_them() -> None:
    found = filtered(
        [draft(score=4), draft("marta sold  the old boat, to Jon!", score=6, passage=1)],
        PASSAGES,
        "",
        Profile(),
    )
    assert [(fact.salience.score, fact.passage) for fact in found.facts] == [(6, 1)]
    assert found.dropped == {"near-duplicate": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 1.5 euros.", "It costs 15 euros."),
        ("It rose by 5 %.", "It rose by 5."),
        ("It costs 5 €.", "It costs 5 $."),
        ("It was -5 outside.", "It was 5 outside."),
        ("The café is open.", "The cafe is open."),
        ("Marta sold the boat.", "Marta never sold the boat."),
    ],
)
def test_what_differs_in_amount_or_words_is_no_duplicate(one: str, other: str) -> None:
    assert fact_sha256(one) != fact_sha256(other)


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert fact_sha256("The caf\u00e9 is open") == fact_sha256("the cafe\u0301 is OPEN.")


@given(st.text())
def test_the_hash_does_not_know_case_of_ascii_or_outer_blanks(text: str) -> None:
    assert fact_sha256(f"  {text}\n") == fact_sha256(text)


def test_the_most_salient_facts_are_kept_up_to_the_cap_then_the_earliest() -> None:
    drafts = [
        draft(f"Marta sold boat number {n}.", score=9 if n == 7 else 5, start=n) for n in range(8)
    ]
    assert kept(*drafts) == [f"Marta sold boat number {n}." for n in (0, 1, 2, 7)]
    assert filtered(drafts, PASSAGES, "", Profile()).dropped == {"over the cap": 4}


@pytest.mark.parametrize(
    ("characters", "cap"), [(0, 4), (1, 4), (1_000, 4), (1_001, 8), (9_001, 40), (90_000, 40)]
)
def test_the_smaller_of_both_caps_counts(characters: int, cap: int) -> None:
    assert Profile().cap(characters) == cap


def test_a_profile_chooses_kinds() -> None:
    assert kept(draft(), profile=Profile(fact_kinds=("quantity",))) == []


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(0, 1), st.integers(0, 80)), max_size=30))
def test_the_filter_is_idempotent_and_keeps_the_order_of_the_text(
    rows: list[tuple[int, int, int]],
) -> None:
    drafts = [
        draft(f"Marta sold boat number {score} {at}.", score, passage, at)
        for score, passage, at in rows
    ]
    once = filtered(drafts, PASSAGES, "", Profile()).facts
    assert filtered(once, PASSAGES, "", Profile()).facts == once
    assert list(once) == sorted(once, key=lambda fact: (fact.passage, fact.start))


@pytest.mark.parametrize("language", ["de", "zh", "python"])
def test_another_language_is_skipped_and_says_so(language: str) -> None:
    found = distil(PASSAGES, replace(ABOUT, language=language), Scripted(draft()))
    assert found.facts == ()
    assert language in found.skipped


@pytest.mark.parametrize("language", ["en", "und", ""])
def test_english_and_what_is_too_short_to_tell_is_read(language: str) -> None:
    found = distil(PASSAGES[:1], replace(ABOUT, language=language), Scripted(draft()))
    assert [fact.text for fact in found.facts] == [WORDS]
    assert found.skipped == ""


def test_facts_of_a_document_tell_their_passage() -> None:
    chunks = [("Marta manages the ferry project.\n\n", ""), ("Jon sold the boat to Eva.", "")]
    passages = passages_of(chunks, "text")
    found = distil(passages, ABOUT, extractor())
    assert {(fact.passage, fact.quote) for fact in found.facts} == {
        (0, "Marta manages the ferry project."),
        (1, "Jon sold the boat to Eva."),
    }


def test_code_and_front_matter_are_known_of_the_whole_document() -> None:
    chunks = [
        ("---\nauthor: Marta sold the boat.\n---\n\nText.\n\n```\nstart\n", ""),
        ("Marta sold the boat.\n", ""),
        ("```\n\nJon sold the barn to Eva.\n", "Barns"),
    ]
    found = distil(passages_of(chunks, "markdown"), ABOUT, extractor())
    assert {fact.quote for fact in found.facts} == {"Jon sold the barn to Eva."}
