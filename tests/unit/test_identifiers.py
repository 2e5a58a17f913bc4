"""Identifiers: code is found by the words inside its names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import identifiers
from graphstore.records import Form


@pytest.mark.req("SEA-1")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getUserName", "get user name"),
        ("snake_case_name", "snake case name"),
        ("HTTPServer2", "http server 2"),
        ("MAX_RETRIES", "max retries"),
        ("os.path.join", "os path join"),
        ("openURLs", "open urls"),
        ("größeÄndern", "größe ändern"),
        ("plain", ""),
        ("parseXMLDocument", "parse xml document"),
        ("$userName", "user name"),
        ("std::makeShared", "make shared"),
        ("list-all-users", ""),
        ("com.example.UserService", "com example user service"),
        ("__init__", ""),
    ],
)
def test_a_name_in_code_becomes_its_words(name: str, words: str):
    assert identifiers.split(f"{name}()", "code") == words


@pytest.mark.req("SEA-1")
def test_words_come_once_and_in_order():
    assert identifiers.split("userName = get_user(userName)", "code") == "user name get"


@pytest.mark.req("SEA-1")
def test_words_that_stand_alone_in_the_text_are_left_out():
    assert identifiers.split("user = getUser()", "code") == "get"


@pytest.mark.req("SEA-1")
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_prose_gives_only_what_looks_like_code(form: Form):
    text = "On example.org the PDFs, sha256 and 3D files; call getUser or load_all, says McX."
    assert identifiers.split(text, form) == "get user load all mc x"


@pytest.mark.req("SEA-1")
def test_data_that_looks_like_a_name_is_left_out():
    assert identifiers.split("aB" * 100, "code") == ""


@pytest.mark.req("SEA-1")
@given(st.text(), st.sampled_from(["text", "markdown", "code"]))
def test_words_are_unique_lower_case_and_bounded(text: str, form: Form):
    words = identifiers.split(text, form).split(" ")
    assert len(words) == len(set(words)) <= identifiers.MAX_WORDS
    assert all(word == word.lower() for word in words)


@pytest.mark.req("SEA-1")
def test_the_number_of_words_is_bounded():
    text = " ".join(f"name{chr(65 + n % 26)}x{n}" for n in range(2_000))
    assert len(identifiers.split(text, "code").split()) == identifiers.MAX_WORDS


@pytest.mark.req("SEA-1")
def test_words_of_a_name_with_hyphens_are_words_to_the_analyzer_already():
    assert identifiers.split("list-all-users and --dry-run", "code") == ""


@pytest.mark.req("SEA-1")
def test_code_in_markdown_is_code():
    text = "See example.org and `os.path`.\n\n```\nos.getcwd()\n```\nAfter example.com.\n"
    start = text.index("```\nos")
    block = (start, text.index("After"))
    assert identifiers.split(text, "markdown") == "os path"
    assert identifiers.split(text, "markdown", [block]) == "os path getcwd"
