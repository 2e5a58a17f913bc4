"""Stops: what waits for one hears it, also of the work that it lies within."""

from threading import Thread

import pytest

from api.ops.stopping import Deadline, Stop, Within
from graphstore.errors import Cancelled


@pytest.mark.req("QUE-1")
def test_who_waits_within_other_work_hears_that_it_is_stopped() -> None:
    other = Stop()
    inner = Within(1e9, Within(1e9, other))
    heard: list[bool] = []
    waiting = Thread(target=lambda: heard.append(inner.wait(60)))
    waiting.start()
    other.set()
    waiting.join(30)
    assert heard == [True]
    with pytest.raises(Cancelled):
        inner.check()


@pytest.mark.req("QUE-1")
def test_a_wait_ends_with_its_time_or_the_time_of_all() -> None:
    assert Deadline(0).wait(60)
    assert not Deadline(1e9).wait(0)
    assert not Stop().wait(0)
