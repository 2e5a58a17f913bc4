"""Lucene: whatever is typed, what reaches the index is terms and nothing but terms."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphstore import lucene
from graphstore.privacy import CLASSES, TRUST_TIERS

SPECIAL = set('+-&|!(){}[]^"~*?:\\/')
SYNTAX = st.text(alphabet=st.sampled_from('+-&|!(){}[]^"~*?:\\/ ANDORTabc1\n\t\0'), max_size=60)
TEXT = st.text(max_size=200) | SYNTAX


def unescaped(text: str) -> str:
    """Return what a parser sees as syntax: the text without escaped characters."""
    return re.sub(r"\\.", "", text, flags=re.DOTALL)


@pytest.mark.req("SEA-8")
@given(TEXT)
def test_no_syntax_of_any_text_is_left_unescaped(text: str) -> None:
    escaped = lucene.escaped(text)
    assert not SPECIAL & set(unescaped(escaped))
    assert not {"AND", "OR", "NOT"} & set(escaped.split())


@pytest.mark.req("SEA-8")
@given(TEXT)
def test_a_text_without_a_letter_or_digit_asks_nothing_and_any_other_asks_its_words(
    text: str,
) -> None:
    query = lucene.query(text)
    assert (query is None) == (not any(map(str.isalnum, text)))
    if query is not None:
        terms = lucene.escaped(text)
        assert query == f"+(text:({terms}) context:({terms}) identifiers:({terms}))"


@pytest.mark.req("SEA-8")
@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=3), min_size=1, max_size=200))
def test_a_long_query_is_cut_to_its_first_terms(words: list[str]) -> None:
    assert lucene.escaped(" ".join(words)).split() == words[: lucene.MAX_TERMS]


@pytest.mark.req("SEA-8")
def test_a_word_of_any_length_becomes_a_short_term() -> None:
    assert len(lucene.escaped("x" * 10_000)) <= 200
    assert len(lucene.escaped("x" + "+" * 10_000)) <= 400
    assert unescaped(lucene.escaped("x" + "\\" * 10_000)) == "x"


@pytest.mark.req("SEA-2")
@given(st.text(), st.text())
def test_keys_of_two_sources_differ_and_no_analyzer_changes_them(one: str, other: str) -> None:
    first, second = lucene.source_key(one), lucene.source_key(other)
    assert (first == second) == (one == other)
    assert re.fullmatch("[a-z0-9]+", first)


@pytest.mark.req("SEA-2")
def test_the_keys_of_classes_tiers_and_sources_are_all_different() -> None:
    names = ("document", *CLASSES, *TRUST_TIERS)
    keys = {lucene.class_key(name) for name in CLASSES}
    keys |= {lucene.trust_key(name) for name in TRUST_TIERS}
    keys |= {lucene.source_key(name) for name in names}
    assert len(keys) == len(CLASSES) + len(TRUST_TIERS) + len(set(names))


@pytest.mark.req("SEA-2")
def test_a_filter_is_demanded_and_weighs_nothing() -> None:
    query = lucene.query("river", sources=("a", "b"), classes=("code",), trusts=("received",))
    keys = f"{lucene.source_key('a')} {lucene.source_key('b')}"
    assert query is not None
    assert f" +source_key:({keys})^0" in query
    assert f" +class_key:({lucene.class_key('code')})^0" in query
    assert query.endswith(f" +class_key:({lucene.trust_key('received')})^0")
