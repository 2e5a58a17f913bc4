"""Context: where a chunk comes from, in one line that repeats nothing."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import context
from graphstore.records import Author, Draft, Mail

DRAFT = Draft(
    uri="notes:plan.md",
    path="plan.md",
    title="Garden plan",
    text="",
    form="markdown",
    mime="text/markdown",
    language="en",
    corpus_class="document",
    trust="authored",
    content_sha256="",
    bytes=0,
    mtime=datetime(2026, 3, 4, 23, 30, tzinfo=UTC),
)
MAIL = replace(
    DRAFT,
    title="Seeds for spring",
    authors=(Author("Ada Example", "email:ada@example.org"),),
    mail=Mail("1@example.org", None, recipients=(Author("", "email:ben@example.org"),)),
)


def count_tokens(text: str) -> int:
    return sum(-(-len(word) // 4) for word in text.split())


def heuristic(draft: Draft, heading: str, text: str) -> str:
    return context.heuristic(draft, context.Place(heading), text, count_tokens)


@pytest.mark.req("SEA-7")
def test_the_context_of_a_document_is_its_title_and_headings():
    assert heuristic(DRAFT, "Beds › North", "Peas.") == "Garden plan › Beds › North"


@pytest.mark.req("SEA-7")
@pytest.mark.parametrize("text", ["Garden plan", "Garden plan\n\nPeas.", "# Garden plan\n\nPeas."])
def test_a_text_that_begins_with_its_title_has_no_context(text: str):
    said = heuristic(DRAFT, "", text)
    assert said == ""
    assert context.embedded_text(said, text) == text


@pytest.mark.req("SEA-7")
def test_a_heading_that_the_text_begins_with_is_not_repeated():
    assert heuristic(DRAFT, "Beds › North", "## North\n\nPeas.") == "Garden plan › Beds"


@pytest.mark.req("SEA-7")
def test_a_title_counts_as_said_only_at_the_end_of_a_word():
    assert heuristic(DRAFT, "", "Garden planning is hard.") == "Garden plan"


@pytest.mark.req("SEA-7")
def test_a_title_that_is_also_the_first_heading_stands_once():
    assert heuristic(DRAFT, "Garden Plan › Beds", "Peas.") == "Garden plan › Beds"


@pytest.mark.req("SEA-7")
def test_the_context_of_mail_names_sender_recipients_date_and_subject():
    expected = "Ada Example to ben@example.org, 2026-03-04: Seeds for spring"
    assert heuristic(MAIL, "", "Hello Ben") == expected


@pytest.mark.req("SEA-7")
def test_many_recipients_are_counted_and_not_listed():
    assert MAIL.mail
    crowd = tuple(Author(f"P{n}") for n in range(9))
    mail = replace(MAIL, mail=replace(MAIL.mail, recipients=crowd))
    assert "to P0, P1, P2, P3 and 5 more, 2026" in heuristic(mail, "", "Hello")


@pytest.mark.req("SEA-7")
def test_a_long_path_keeps_its_nearest_heading():
    path = " › ".join(f"Chapter number {n}" for n in range(30))
    assert heuristic(DRAFT, path, "Peas.").endswith("Chapter number 29")


@pytest.mark.req("SEA-7")
@given(st.text(max_size=600), st.text(max_size=600), st.text(max_size=200), st.booleans())
def test_a_context_is_one_short_line(title: str, heading: str, text: str, is_mail: bool):
    draft = replace(MAIL if is_mail else DRAFT, title=title)
    said = heuristic(draft, heading, text)
    assert count_tokens(said) <= context.MAX_TOKENS
    assert said == " ".join(said.split())


@pytest.mark.req("SRC-2")
def test_the_hash_tells_context_and_text_apart():
    assert context.content_sha256("a", "b") != context.content_sha256("", "ab")
    digest = hashlib.sha256(b"where\0what").hexdigest()
    assert context.content_sha256("where", "what") == digest
