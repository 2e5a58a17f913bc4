"""Retention and heat: falling in time, rising in recalls, bounded, whatever the clock does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from api.ops import retention
from api.ops.retention import Counted
from api.ops.settings import MemorySettings

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = MemorySettings()
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
COUNTED = st.builds(
    Counted,
    created_at=MOMENTS,
    refreshed_at=st.none() | MOMENTS,
    recalls=st.integers(0, 10_000),
    recall_days=st.integers(0, 10_000),
    links=st.integers(0, 1_000),
    importance=st.floats(0, 1),
    is_owners=st.booleans(),
)
ALL = st.builds(
    MemorySettings,
    stability_days=st.floats(0.01, 36_500),
    stability_growth=st.floats(1, 100),
    archive_below=st.floats(0, 1),
    archive_importance=st.floats(0, 1),
    owner_decays=st.booleans(),
)


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS, ALL)
def test_retention_is_within_nought_and_one(
    counted: Counted, now: datetime, settings: MemorySettings
) -> None:
    assert 0 <= retention.retention(counted, now, settings) <= 1
    assert retention.heat(counted, now, settings) >= 0


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS, st.timedeltas(timedelta(0), timedelta(days=20_000)), ALL)
def test_retention_and_heat_never_rise_with_time_alone(
    counted: Counted, now: datetime, more: timedelta, settings: MemorySettings
) -> None:
    for measure in (retention.retention, retention.heat):
        assert measure(counted, now + more, settings) <= measure(counted, now, settings)


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS, st.integers(1, 1_000), ALL)
def test_retention_never_falls_with_recalls(
    counted: Counted, now: datetime, more: int, settings: MemorySettings
) -> None:
    again = replace(counted, recalls=counted.recalls + more)
    assert retention.retention(again, now, settings) >= retention.retention(counted, now, settings)


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS)
def test_a_clock_that_was_set_back_forgets_nothing(counted: Counted, now: datetime) -> None:
    assume(now <= max(counted.created_at, counted.refreshed_at or counted.created_at))
    assert retention.retention(counted, now, SETTINGS) == 1
    assert not retention.is_to_archive(counted, now, SETTINGS)


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS)
def test_what_is_the_owners_never_fades_and_is_never_rehearsed_or_archived(
    counted: Counted, now: datetime
) -> None:
    mine = replace(counted, is_owners=True)
    assert retention.retention(mine, now, SETTINGS) == 1
    assert not retention.is_to_archive(mine, now, SETTINGS)
    assert not retention.is_to_rehearse(mine, now, SETTINGS)


@pytest.mark.req("REC-2")
@given(COUNTED, MOMENTS, ALL)
def test_only_what_faded_and_is_unimportant_is_archived(
    counted: Counted, now: datetime, settings: MemorySettings
) -> None:
    if retention.is_to_archive(counted, now, settings):
        assert retention.retention(counted, now, settings) < settings.archive_below
        assert counted.importance < settings.archive_importance


@pytest.mark.req("REC-2")
def test_the_shipped_curve_is_the_one_that_is_documented() -> None:
    assert retention.stability_days(0, SETTINGS) == pytest.approx(7)
    assert retention.stability_days(1, SETTINGS) == pytest.approx(11.2)
    assert retention.stability_days(5, SETTINGS) == pytest.approx(73.4, abs=0.1)
    forgotten = Counted(NOW - timedelta(days=21), importance=0.2)
    assert retention.retention(forgotten, NOW, SETTINGS) == pytest.approx(0.0498, abs=1e-4)
    assert retention.is_to_archive(forgotten, NOW, SETTINGS)
    assert not retention.is_to_archive(replace(forgotten, importance=0.3), NOW, SETTINGS)
    assert retention.is_to_rehearse(replace(forgotten, importance=0.8), NOW, SETTINGS)


@pytest.mark.req("REC-4")
def test_days_of_use_promote_and_a_loop_of_recalls_does_not() -> None:
    new = Counted(NOW, recalls=10_000, recall_days=1, links=100)
    assert not retention.is_to_promote(new, NOW, SETTINGS)
    assert retention.is_to_promote(replace(new, recalls=2, recall_days=2, links=0), NOW, SETTINGS)
