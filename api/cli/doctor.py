"""The command that looks at every part, says what mends it, and mends what it can."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from api.cli.options import Json
from api.cli.output import print_json, print_text, say, style
from api.cli.session import Session, session_of
from graphstore.errors import GarageError

if TYPE_CHECKING:
    from api.ops.doctor import Check

_SHORT: Final = "disk"
"""What a service lives with: it reads on a disk that is nearly full."""
_MARKS: Final = {
    "ok": ("ok", "green"),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED", "red"),
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
    as_json: Json = False,
) -> None:
    """Look at every part for real, and say what mends it. Exit status 1 when one has failed."""
    session = session_of(context)
    done = _mend(session) if fix else ()
    found = _all(session)
    failed = [check for check in found if check["state"] == "failed"]
    if as_json:
        print_json({"checks": found, "mended": list(done), "healthy": not failed})
    else:
        for line in done:
            say(f"Mended: {line}")
        _print(found, session)
    if failed:
        raise typer.Exit(1)


def _all(session: Session) -> list[dict[str, Any]]:
    # Imported here: what it looks at takes half a second to load.
    from api.cli import checkup

    loading, loaded = checkup.settings(session)
    if loaded is None:
        return [_shown(loading)]
    around = checkup.checks(checkup.Place(session, loaded))
    found = [_shown(check) for check in (loading, *around)]
    if any(check.state == "failed" and check.part != _SHORT for check in around):
        # What it stands on must be mended first; a service would only say so less well.
        return found
    inside = _of_service(session)
    return [*found, *inside, _shown(checkup.mcp(session))] if inside else found


def _of_service(session: Session) -> list[dict[str, Any]]:
    """Ask the service, which is started when none runs."""
    say("Asking the service …")
    try:
        return session.run("checks")
    except GarageError as error:
        return [
            {"part": "service", "state": "failed", "detail": error.message, "nextStep": error.hint}
        ]


def _mend(session: Session) -> tuple[str, ...]:
    from api.cli import checkup

    _, loaded = checkup.settings(session)
    if loaded is None:
        return ()
    place = checkup.Place(session, loaded)
    done = checkup.mend(place)
    if any(each.state == "failed" and each.part != _SHORT for each in checkup.checks(place)):
        return done
    try:
        made = session.run("repair")["indexes"]
    except GarageError as error:
        say(f"The database could not be mended: {error}")
        return done
    return (*done, *(f"index {name} is made anew; it fills by itself." for name in made))


def _shown(check: "Check") -> dict[str, Any]:
    return {
        "part": check.part,
        "state": check.state,
        "detail": check.detail,
        "nextStep": check.next_step,
    }


def _print(found: list[dict[str, Any]], session: Session) -> None:
    width = max(len(check["part"]) for check in found)
    for check in found:
        mark, colour = _MARKS[check["state"]]
        print_text(
            f"{style(f'{mark:8}', colour, session)} {check['part']:{width}}  {check['detail']}"
        )
        if check["nextStep"]:
            print_text(f"{'':8} {'':{width}}  → {check['nextStep']}")
