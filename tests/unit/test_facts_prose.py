"""Prose of a passage: what is read, what is left out, and that spans lead back to the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.facts.prose import MAX_BLOCK_CHARACTERS, blocks
from extraction.facts.records import Passage
from tests.unit.fact_reading import only, read

pytestmark = pytest.mark.req("FCT-1", part=True)


def texts(text: str, code: tuple[tuple[int, int], ...] = ()) -> list[str]:
    return [block.text for block in blocks(Passage(text, code=code))]


@pytest.mark.parametrize(
    "left_out",
    [
        "```\nMarta sold the boat.\n```",
        "~~~~ python\nMarta sold the boat.\n~~~~",
        "> Marta sold the boat.\n> Jon was glad.",
        "# Marta sold the boat",
        "| Marta | sold | boat |",
        "January   Oskar   Fatima\n11\tOskar\tEva",
        "<div>Marta sold the boat.</div>",
        "-- \nMarta Friel\nsells boats",
        "Best regards,\nMarta Friel",
        "From: Marta <marta@example.org>\nTo: Jon\nSubject: Marta sold the boat",
        "On 3 March 2026, Marta wrote:",
        "----------",
    ],
)
def test_code_quotes_headings_tables_and_envelopes_are_left_out(left_out: str) -> None:
    assert texts(left_out) == []


def test_text_after_what_is_left_out_is_read_again() -> None:
    text = (
        "```\ncode\n```\nMarta sold the boat.\n\n> old\n\nJon was glad.\n\nCheers,\nMarta\n\nP.S."
    )
    assert texts(text) == ["Marta sold the boat.", "Jon was glad.", "P.S."]


def test_what_the_whole_document_says_is_code_is_left_out() -> None:
    text = "Marta sold the boat.\nx = 1\n"
    assert texts(text, code=((21, 27),)) == ["Marta sold the boat."]


def test_a_paragraph_goes_on_over_its_lines_and_items_are_their_own() -> None:
    text = "Marta sold\nthe boat.\n\n- Jon was\n  glad.\n- [x] Eva was not.\n2. Done."
    assert texts(text) == ["Marta sold the boat.", "Jon was glad.", "Eva was not.", "Done."]


def test_markup_goes_and_its_words_stay() -> None:
    text = "**Marta** sold [the _old_ boat](https://example.org/b) `now`. ![x](y.png)"
    assert texts(text) == ["Marta sold the old boat now."]
    assert texts("The file snake_case_name and 2 * 3 * 4 stay.") == [
        "The file snake_case_name and 2 * 3 * 4 stay."
    ]


def test_a_heading_within_the_passage_names_what_follows() -> None:
    found = list(blocks(Passage("Owner: Jon\n\n## The **new** boat\n\nOwner: Eva", "Boats › Old")))
    assert [(block.heading, block.key, block.text) for block in found] == [
        ("Old", "Owner", "Jon"),
        ("The new boat", "Owner", "Eva"),
    ]


@pytest.mark.parametrize(
    "quote",
    [
        "Marta sold the boat.",
        "**Marta** sold the [boat](https://example.org).",
        "Zoe\u0308 sold the cafe\u0301.",
        "Marta sold the \U0001f6a2 boat \U0001f600.",
        "Marta sold\n  the boat.",
        "«Marta» sold the boat…",
    ],
)
@pytest.mark.parametrize("before", ["", "\U0001f600\U0001f600 \u0301\n\n", "- ", "字。\n\n1. "])
def test_a_span_is_exactly_the_sentence_whatever_characters_there_are(
    before: str, quote: str
) -> None:
    text = f"{before}{quote}\n\n\U0001f600"
    facts = [fact for fact in read(text) if fact.predicate == "sell"]
    assert {fact.quote for fact in facts} == {quote}
    assert text[facts[0].start : facts[0].end] == quote


def test_one_sentence_of_several_is_the_span() -> None:
    text = "It rained. Marta sold the boat. Jon was glad."
    sold = next(fact for fact in read(text) if fact.object == "boat")
    assert sold.quote == "Marta sold the boat."


def test_a_very_long_line_is_read_in_pieces() -> None:
    found = list(blocks(Passage("word " * 5_000)))
    assert len(found) > 1
    assert max(len(block.text) for block in found) <= MAX_BLOCK_CHARACTERS


def test_half_a_character_is_read_around() -> None:
    assert only("Marta sold the boat \ud83d.").object.startswith("boat")


@settings(max_examples=200)
@given(st.text(alphabet=st.characters() | st.sampled_from("*_`[]()!<>#-:\n \u0301\U0001f600")))
def test_each_character_that_is_read_stands_where_it_says(text: str) -> None:
    for block in blocks(Passage(text)):
        assert len(block.text) == len(block.offsets)
        for character, offset in zip(block.text, block.offsets, strict=True):
            own = text[offset]
            assert character == own or (character == " " and own.isspace()) or own > "\ud7ff"
