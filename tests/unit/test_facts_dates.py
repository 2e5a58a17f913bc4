"""Dates of facts: from the text's own words, as exact as they are, else the document's."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.facts import dates
from tests.unit.fact_reading import WRITTEN, only, read

pytestmark = pytest.mark.req("TRI-2", part=True)


def day(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "begins", "granularity"),
    [
        ("Marta moved to Oslo on 9 June 2025.", day(2025, 6, 9), "day"),
        ("Marta moved to Oslo on June 9th, 2025.", day(2025, 6, 9), "day"),
        ("Marta moved to Oslo on 2025-06-09.", day(2025, 6, 9), "day"),
        ("Marta moved to Oslo on 09.06.2025.", day(2025, 6, 9), "day"),
        ("Marta moved to Oslo in June 2025.", day(2025, 6), "month"),
        ("Marta moved to Oslo in 2019.", day(2019), "year"),
        ("Marta moved to Oslo in 1904.", WRITTEN, "document"),
        ("Marta moved to Oslo in spring 2025.", day(2025, 3), "season"),
        ("Marta moved to Oslo in Q3 2025.", day(2025, 7), "quarter"),
        ("Marta moved to Oslo in early 2022.", day(2022), "year"),
        ("Marta moved to Oslo at the end of March 2025.", day(2025, 3, 21), "month"),
        ("Marta moved to Oslo on Monday.", day(2026, 3, 2), "day"),
        ("Marta moved to Oslo yesterday.", day(2026, 3, 3), "day"),
        ("Marta moved to Oslo last week.", day(2026, 2, 23), "week"),
        ("Marta moved to Oslo last month.", day(2026, 2), "month"),
        ("Marta moved to Oslo last year.", day(2025), "year"),
        ("Marta moved to Oslo two years ago.", day(2024), "year"),
        ("Marta moved to Oslo in December.", day(2025, 12), "month"),
        ("Marta will move to Oslo in December.", day(2026, 12), "month"),
        ("Marta will move to Oslo on Monday.", day(2026, 3, 9), "day"),
        ("Marta will move to Oslo next month.", day(2026, 4), "month"),
        ("Marta moved to Oslo.", WRITTEN, "document"),
        ("Marta moved to Oslo on 3/4/2025.", WRITTEN, "document"),
    ],
)
def test_a_fact_is_valid_from_the_date_that_its_sentence_names(
    text: str, begins: datetime, granularity: str
) -> None:
    validity = only(text).validity
    if "1904" in text:
        begins, granularity = day(1904), "year"
    assert (validity.valid_from, validity.granularity) == (begins, granularity)
    assert validity.valid_to is None


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("Marta lived in Oslo from 2015 to 2019.", day(2015), day(2020)),
        ("Marta lived in Oslo from May 2021 until June 2023.", day(2021, 5), day(2023, 7)),
        ("Marta lived in Oslo between May 2021 and June 2023.", day(2021, 5), day(2023, 7)),
        ("Marta lived in Oslo until August 2024.", None, day(2024, 9)),
        ("Since 1 September 2025 Marta lives in Oslo.", day(2025, 9), None),
        ("Marta lives in Oslo since 1 September.", day(2025, 9), None),
    ],
)
def test_since_until_and_from_to_are_the_ends(
    text: str, begins: datetime | None, ends: datetime | None
) -> None:
    validity = only(text).validity
    assert (validity.valid_from, validity.valid_to) == (begins, ends)


def test_a_deadline_is_no_beginning() -> None:
    assert only("Marta must sell the boat by 30 June.").validity.valid_from == WRITTEN


def test_a_date_that_is_the_object_says_nothing_of_when_it_holds() -> None:
    fact = only("The release was moved from 22 May to 5 June.")
    assert (fact.object, fact.validity.granularity) == ("5 June", "document")
    assert only("The deadline is 30 April 2026.").object == "30 April 2026"


def test_a_date_belongs_to_its_own_clause() -> None:
    built, belongs = read("The house was built by Jon in 1911 and belongs to Marta.")
    assert built.validity.valid_from == day(1911)
    assert belongs.validity.granularity == "document"


@pytest.mark.parametrize(
    "text",
    [
        "Marta may sell the boat.",
        "They march every Monday.",
        "Room 2019-B is free.",
        "1.2.3 is out",
    ],
)
def test_a_verb_a_habit_or_a_number_is_no_date(text: str) -> None:
    assert dates.mentions(text) == []


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_words_and_any_day_give_an_interval_that_is_not_empty(
    text: str, written: datetime
) -> None:
    found = dates.mentions(text)
    validity = dates.validity(found, written, "past", text)
    assert (
        validity.valid_from is None
        or validity.valid_to is None
        or (validity.valid_from < validity.valid_to)
    )


@given(
    st.sampled_from(
        ["9 June", "June 2025", "last week", "in 3 days", "end of May", "2019", "Monday"]
    ),
    st.datetimes(timezones=st.just(UTC)),
)
def test_the_same_words_on_the_same_day_mean_the_same(words: str, written: datetime) -> None:
    text = f"in {words}"
    first = dates.validity(dates.mentions(text), written, "future", text)
    assert first == dates.validity(dates.mentions(text), written, "future", text)
