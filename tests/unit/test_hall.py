"""The hall: what becomes of an operation whose Neo4j goes away under it."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from api.ops import hall as hall_module
from api.ops.hall import Hall, Ready
from graphstore.errors import OutOfSpace, StoreUnavailable, Unavailable


@dataclass
class Parts:
    """Stands for a garage: the hall only hands it on."""

    name: str
    asked: list[str] = field(default_factory=list[str])


def ready(name: str) -> Ready:
    return Ready(Parts(name), None)  # type: ignore[arg-type] - the hall only hands them on


def lost() -> StoreUnavailable:
    return StoreUnavailable("The connection was closed.")


@pytest.mark.req("RUN-2")
def test_a_read_is_begun_anew_on_the_parts_that_come_after_a_restart() -> None:
    hall = Hall()
    hall.open(ready("first"))

    def read(garage: Any) -> str:
        if garage.name == "first":
            hall.wait_for("Starting Neo4j")
            hall.open(ready("second"))
            raise lost()
        return garage.name

    assert hall.do(read, repeats=True) == "second"


@pytest.mark.req("RUN-2")
def test_a_write_is_never_begun_anew_and_says_that_neo4j_is_being_started() -> None:
    hall = Hall()
    hall.open(ready("first"))
    calls: list[str] = []

    def write(garage: Any) -> None:
        calls.append(garage.name)
        hall.wait_for("Neo4j ended by itself; starting it again")
        raise lost()

    with pytest.raises(Unavailable, match="being started again") as raised:
        hall.do(write, repeats=False)
    assert calls == ["first"]
    assert "repeat" in raised.value.hint


@pytest.mark.req("RUN-2")
@pytest.mark.parametrize("error", [lost(), OutOfSpace("The disk is full.")])
def test_an_error_of_parts_that_stay_is_told_as_it_is(
    error: StoreUnavailable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "_LOST_S", 0.0)
    hall = Hall()
    hall.open(ready("only"))

    def fail(_: object) -> object:
        raise error

    with pytest.raises(type(error)) as raised:
        hall.do(fail, repeats=True)
    assert raised.value is error


@pytest.mark.req("RUN-2")
def test_why_it_failed_and_what_to_do_go_together_and_are_gone_when_it_starts_again() -> None:
    hall = Hall()
    hall.fail(OutOfSpace("The disk is full.", hint="Free some space."))
    assert (hall.standing.state, hall.standing.hint) == ("failed", "Free some space.")
    with pytest.raises(Unavailable, match="The disk is full"):
        hall.ready(0.0)
    hall.wait_for("Starting Neo4j")
    assert hall.standing.hint == ""
