"""Classes and trust: what is derived is as restricted, and as little trusted, as its sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphstore.privacy import (
    CLASSES,
    TRUST_TIERS,
    least_trusted,
    may_leave_the_machine,
    most_restrictive,
)

CLASS_LISTS = st.lists(st.sampled_from(CLASSES), max_size=6)
TIER_LISTS = st.lists(st.sampled_from(TRUST_TIERS), min_size=1, max_size=6)


@pytest.mark.req("SRC-5")
@given(CLASS_LISTS, CLASS_LISTS)
def test_the_class_of_several_texts_is_that_of_their_parts_whatever_the_order(
    one: list[str], other: list[str]
) -> None:
    together = most_restrictive(one + other)
    assert together == most_restrictive(other + one)
    assert together == most_restrictive([most_restrictive(one), most_restrictive(other)])
    assert together == most_restrictive([together, *one, together])


@pytest.mark.req("SRC-5")
@given(CLASS_LISTS, st.sampled_from(CLASSES))
def test_a_further_text_never_makes_the_whole_less_restricted(one: list[str], more: str) -> None:
    before, after = most_restrictive(one), most_restrictive([*one, more])
    assert CLASSES.index(after) <= CLASSES.index(before)
    assert not may_leave_the_machine(after) or may_leave_the_machine(before)


@pytest.mark.req("SRC-5")
@given(CLASS_LISTS)
def test_what_rests_on_any_communication_stays_on_the_machine(classes: list[str]) -> None:
    assert may_leave_the_machine(most_restrictive(classes)) == ("communication" not in classes)


@pytest.mark.req("SRC-5")
@given(TIER_LISTS, TIER_LISTS)
def test_the_trust_of_several_texts_is_the_lowest_whatever_the_order(
    one: list[str], other: list[str]
) -> None:
    together = least_trusted(one + other)
    assert together == least_trusted(other + one)
    assert together == least_trusted([least_trusted(one), least_trusted(other)])
    assert all(TRUST_TIERS.index(together) >= TRUST_TIERS.index(tier) for tier in one + other)


@pytest.mark.req("SRC-5")
def test_nothing_is_a_reference_and_restricts_nothing() -> None:
    assert (most_restrictive([]), least_trusted([])) == ("reference", "reference")
