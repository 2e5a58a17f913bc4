"""`garage work`: has the service work the queue, follows it, and can stop it at any moment."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Final

import typer

from api.cli import stored
from api.cli.failures import FAILURE, INTERRUPTED
from api.cli.options import Json, Many
from api.cli.output import print_json, print_table, say
from api.cli.progress import Progress
from api.cli.session import Session, session_of
from graphstore.errors import InvalidInput, NotFound

_UNITS: Final[Mapping[str, float]] = {"": 1, "s": 1, "m": 60, "h": 3_600}
_BUDGET: Final = re.compile(r"([0-9]{1,6})([smh]?)")
_ENDS: Final[Mapping[str, str]] = {
    "out_of_time": "The time is over; 'garage work' goes on.",
    "stopped": "Stopped. What was done is kept; 'garage work' goes on.",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("work")(work)


def work(
    context: typer.Context,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="End after 90s, 10m or 1h.")
    ] = None,
    kind: Annotated[Many, typer.Option(help="Only jobs of this kind; may be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """Work the queue until nothing is ready. Ctrl-C stops it; the next run goes on."""
    session = session_of(context)
    wish = {"kinds": kind or [], "budgetS": seconds(budget)}
    begun: Any = session.run("work", **wish)["shift"]
    was_interrupted = False
    try:
        shift = _followed(session, begun["uid"])
    except KeyboardInterrupt:
        was_interrupted = True
        say("\nStopping; the jobs at hand are given back. Ctrl-C again leaves at once.")
        with suppress(NotFound):  # it may have ended meanwhile
            session.run("cancel_work", shift=begun["uid"])
        shift = _followed(session, begun["uid"])
    queue: Any = session.run("queue")
    if as_json:
        print_json({"shift": shift, "queue": queue})
    else:
        _report(session, shift, queue)
    if was_interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(FAILURE if shift["state"] == "failed" else 0)


def seconds(budget: str | None) -> float | None:
    """Return a time as seconds.

    Raises:
        InvalidInput: it is none.
    """
    if budget is None:
        return None
    found = _BUDGET.fullmatch(budget.strip())
    if not found:
        raise InvalidInput(f"--budget is '{budget}'.", hint="Write 90s, 10m or 1h.")
    return int(found[1]) * _UNITS[found[2]]


def tell_waiting(queue: Any) -> None:
    """Say what is left in the queue, and what somebody may do about it."""
    counts = queue["counts"]
    if counts["waiting"]:
        say(f"{counts['waiting']:,} wait for their time: garage jobs list --state waiting")
    if counts["failed"]:
        say(f"{counts['failed']:,} failed: garage jobs list --state failed")
    for kind in queue["unworked"]:
        number = sum(each["number"] for each in queue["kinds"] if each["kind"] == kind)
        say(f"Nothing works jobs of the kind '{kind}' yet; {number:,} of them stay in the queue.")


def _followed(session: Session, uid: str) -> Mapping[str, Any]:
    """Return the shift as it ended, showing how far it is meanwhile."""
    events = session.client.follow(stored.operation("work_progress"), {"shift": uid})
    with Progress("work") as progress:
        for data in events:
            (event,) = data.values()
            if event["__typename"] == "Shift":
                return event
            progress.show(event["done"], event["total"], f"{event['kind']} {event['document']}")
    message = "The service ended; what was done is kept, and 'garage work' goes on."
    return {"uid": uid, "state": "failed", "message": message, "counts": []}


def _report(session: Session, shift: Mapping[str, Any], queue: Any) -> None:
    counted = [(each["name"], each["number"]) for each in shift["counts"]]
    nothing = "Nothing was ready." if shift["state"] == "done" else "Nothing was done yet."
    print_table(("jobs", "how many"), counted, session, empty=nothing)
    for said in (shift["message"], _ENDS.get(shift["state"], "")):
        if said:
            say(said)
    tell_waiting(queue)
