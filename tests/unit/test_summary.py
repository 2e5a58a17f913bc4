"""Extractive summaries: a document's own sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.facts.records import Passage
from extraction.facts.summary import summarise

pytestmark = pytest.mark.req("SEA-1", part=True)

STORY = (
    "The ferry Alma connects Corvik and Sele since 1988. The weather was fine on that day. "
    "The council wants to replace the ferry Alma with a bridge. Lunch came late, and it was cold. "
    "A bridge between Corvik and Sele would cost forty million euros. Somebody lost an umbrella."
)


def test_a_summary_is_one_to_three_of_the_documents_own_sentences() -> None:
    found = summarise([Passage(STORY)], "Ferry or bridge")
    assert found is not None
    assert found.source == "extract"
    assert len(found.spans) == 2
    assert found.text == " ".join(STORY[start:end] for _, start, end in found.spans)
    assert "ferry Alma" in found.text
    assert "umbrella" not in found.text


def test_a_short_text_has_one_sentence_and_a_long_one_three() -> None:
    short = summarise([Passage("The ferry Alma connects Corvik and Sele. It is old.")], "")
    assert short is not None
    assert short.text == "The ferry Alma connects Corvik and Sele."
    long = summarise([Passage(STORY), Passage(STORY.replace("Alma", "Olga")), Passage(STORY)], "")
    assert long is not None
    assert len(long.spans) == 3


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    text = "Dr. Amara Voss found two cavities at No. 4 Harbour Street today."
    found = summarise([Passage(text)], "Dentist")
    assert found is not None
    assert found.text == text


def test_other_languages_are_summarised_too() -> None:
    german = "Die Fähre Alma verbindet Corvik und Sele. Das Wetter war schön an jenem Tag."
    found = summarise([Passage(german)], "Die Fähre Alma")
    assert found is not None
    assert found.text == "Die Fähre Alma verbindet Corvik und Sele."
    chinese = "这艘渡轮连接两个城市已经三十多年了。天气很好。"
    assert (made := summarise([Passage(chinese)], "渡轮")) is not None
    assert made.text == "这艘渡轮连接两个城市已经三十多年了。"


@pytest.mark.parametrize(
    "text", ["", "# Heading\n", "```\ncode is here, a long line of it\n```", "Hi"]
)
def test_without_prose_there_is_no_summary(text: str) -> None:
    assert summarise([Passage(text)], "") is None


@given(st.lists(st.text(st.sampled_from("ab cdé.!?\n。字\U0001f600-*")), max_size=4))
def test_a_summary_is_always_within_its_document(texts: list[str]) -> None:
    passages = [Passage(text) for text in texts]
    found = summarise(passages, "ab")
    if found is not None:
        parts = [texts[passage][start:end] for passage, start, end in found.spans]
        assert found.text == " ".join(" ".join(part.split()) for part in parts)
        assert 1 <= len(parts) <= 3
    assert found == summarise(passages, "ab")
