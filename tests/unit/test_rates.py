"""Rates: a client that runs away is stopped, told how long to wait, and nobody else is."""

from datetime import UTC, datetime, timedelta

import pytest

from api.ops.rates import MAX_CLIENTS, Rates
from graphstore.errors import Refused, TooMany

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.req("STO-1")
@pytest.mark.campaign("C18")
def test_more_than_its_share_is_refused_with_the_time_to_wait() -> None:
    rates = Rates()
    for second in range(3):
        rates.take("claude", 3, NOW + timedelta(seconds=second))
    with pytest.raises(TooMany, match="'claude'") as caught:
        rates.take("claude", 3, NOW + timedelta(seconds=10))
    assert isinstance(caught.value, Refused)
    assert caught.value.retry_after_s == 50
    assert "Wait 50 s" in caught.value.hint
    rates.take("cursor", 3, NOW + timedelta(seconds=10))
    rates.take("claude", 3, NOW + timedelta(seconds=60))
    with pytest.raises(TooMany):
        rates.take("claude", 3, NOW + timedelta(seconds=60))


@pytest.mark.req("STO-1")
def test_nought_is_no_limit_and_a_clock_set_back_locks_nobody_out() -> None:
    rates = Rates()
    for _ in range(1_000):
        rates.take("claude", 0, NOW)
    rates.take("claude", 1, NOW)
    rates.take("claude", 1, NOW - timedelta(days=1))
    with pytest.raises(TooMany):
        rates.take("claude", 1, NOW - timedelta(days=1))


@pytest.mark.req("STO-1")
def test_of_many_clients_the_one_that_was_quiet_longest_is_forgotten() -> None:
    rates = Rates()
    rates.take("first", 1, NOW)
    for number in range(MAX_CLIENTS):
        rates.take(f"client {number}", 1, NOW)
    rates.take("first", 1, NOW)
    with pytest.raises(TooMany):
        rates.take("first", 1, NOW)
