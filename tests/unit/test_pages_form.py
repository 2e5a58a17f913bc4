"""The form of a search page: an address says all that was asked, and nothing more."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from api.serve.pages import form, wording
from api.serve.pages.form import MANY, ONE, SearchForm
from graphstore.errors import InvalidInput

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
values = texts.map(str.strip).filter(bool)
forms = st.builds(
    SearchForm,
    query=texts,
    many=st.fixed_dictionaries(
        {name: st.lists(values, unique=True, max_size=3).map(tuple) for name in MANY}
    ),
    one=st.fixed_dictionaries({name: texts.map(str.strip) for name in ONE}),
)


def reread(address: str) -> SearchForm:
    parts = urlsplit(address)
    assert parts.path == "/search"
    return form.read(QueryParams(parts.query))


@pytest.mark.req("WEB-1", part=True)
@given(forms)
def test_an_address_is_read_back_as_the_form_it_was_made_from(asked: SearchForm) -> None:
    assert reread(asked.address) == asked


@given(forms)
def test_taking_off_a_filter_takes_off_that_one_alone(asked: SearchForm) -> None:
    for field, value in asked.filters:
        left = reread(asked.without(field, value))
        assert set(left.filters) == set(asked.filters) - {(field, value)}
        assert (left.query, left.one["limit"]) == (asked.query, asked.one["limit"])
    assert reread(asked.unfiltered).filters == ()


@given(forms)
def test_another_limit_changes_nothing_else(asked: SearchForm) -> None:
    other = reread(asked.with_limit(50))
    assert other.one["limit"] == "50"
    assert other.filters == asked.filters


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    asked = form.read(QueryParams([("q", "\ud800"), ("author", "\udfff")]))
    assert reread(asked.address).query == "?"


@pytest.mark.parametrize(
    ("field", "value"), [("since", "x"), ("until", "31/12/2026"), ("limit", "ten")]
)
def test_what_is_no_date_or_number_is_told_with_its_field(field: str, value: str) -> None:
    with pytest.raises(InvalidInput) as told:
        form.read(QueryParams({"q": "a", field: value})).request()
    assert form.field_of(told.value) == field
    assert told.value.hint


def test_a_day_without_a_zone_is_its_beginning_in_utc() -> None:
    asked = form.read(QueryParams({"q": "a", "since": "2026-03-01"}))
    assert asked.request().wanted.since == datetime(2026, 3, 1, tzinfo=UTC)


@given(st.text("ab \n-#", max_size=60))
def test_flowing_text_keeps_every_word_and_its_paragraphs(text: str) -> None:
    flowing = wording.flowing(text)
    assert flowing.split() == text.split()
    assert flowing.count("\n") <= text.count("\n")


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0 bytes"), (1536, "1.5 KiB"), (5 * 2**20, "5.0 MiB"), (2**40, "1,024.0 GiB")],
)
def test_sizes_read_well(value: int, said: str) -> None:
    assert wording.size(value) == said
