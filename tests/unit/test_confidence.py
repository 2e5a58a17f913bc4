"""Confidence: nearness tells an answer among documents, the question's words tell it in talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ops.confidence import Judged, is_confident
from api.ops.fusion import Lane, Ranked

pytestmark = pytest.mark.req("SEA-3")
LIKELY = 0.6
QUESTION = "What is the password of the wireless network in Li Hua's flat?"
SAID = "LiHua: the passwords for wireless networks in my flat are these"
UNSAID = "LiHua: see you tonight at the flat, bring the guitar"


def judged(
    cosine: float, *, talk: str | None = None, words: bool = True, question: str = QUESTION
) -> Judged:
    found = (Ranked("a", 1, cosine),)
    return Judged(
        question,
        Lane("vector:m", "vector", found),
        Lane("fulltext", "fulltext", (Ranked("a", 1, 3.0),) if words else ()),
        LIKELY,
        {} if talk is None else {"a": talk},
        frozenset() if talk is None else frozenset("a"),
    )


def test_a_document_answers_when_it_is_near_and_nearer_still_when_no_word_agrees() -> None:
    assert is_confident(judged(0.6))
    assert not is_confident(judged(0.59))
    assert not is_confident(judged(0.72, words=False))
    assert is_confident(judged(0.74, words=False))


def test_talk_answers_when_it_says_enough_of_what_was_asked() -> None:
    assert is_confident(judged(0.6, talk=SAID))
    assert not is_confident(judged(0.75, talk=UNSAID))


def test_talk_that_is_very_near_answers_in_whatever_words() -> None:
    assert is_confident(judged(0.79, talk="LiHua: the key for the internet is on the fridge"))


def test_a_question_that_names_nothing_is_answered_by_no_talk() -> None:
    assert not is_confident(judged(0.7, talk=UNSAID, question="who is it and why?"))


def test_talk_in_a_script_without_spaces_is_judged_by_its_nearness() -> None:
    assert is_confident(judged(0.66, talk="李华：密码是这个", question="无线网络的密码是什么"))


@given(st.floats(-1, 1), st.floats(0, 1), st.text(), st.sampled_from([None, SAID, UNSAID]))
def test_what_is_nearer_never_answers_less(
    cosine: float, more: float, question: str, talk: str | None
) -> None:
    far = is_confident(judged(cosine, talk=talk, question=question))
    near = is_confident(judged(min(cosine + more, 1), talk=talk, question=question))
    assert near >= far
