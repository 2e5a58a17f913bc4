"""Commands about the service itself: serve, status, stop and open."""

import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.options import Json
from api.cli.output import print_json, print_table, print_text, say
from api.cli.session import Session, session_of
from graphstore.errors import GarageError

if TYPE_CHECKING:
    from api.client import Service


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("serve")(serve)
    app.command("status")(status)
    app.command("stop")(stop)
    app.command("open")(open_pages)


def serve(
    context: typer.Context,
    background: Annotated[
        bool, typer.Option("--background", help="Stop when idle; log to the file only.")
    ] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Have it started at every login, and now.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="End that, and the service.")
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="With --install: print the entry; do nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run the service here until Ctrl-C. Other commands start it by themselves."""
    session = session_of(context)
    if install or uninstall or only_print:
        _register(session, None if only_print else install, as_json=as_json)
        return
    # Imported here, with everything heavy: no other command needs it.
    from api.serve.head_start import Serving
    from api.serve.service import serve
    from api.settings import load

    loaded = load(session.config_name, session.environment)
    # uvicorn raises a signal again when it has shut down: as it was, that would end the process
    # before Neo4j and the runs are closed.
    signal.signal(signal.SIGTERM, _end)
    serve(Serving(loaded, dict(session.environment), background))
    if as_json:
        print_json({"stopped": True})


def _register(session: Session, is_wanted: bool | None, *, as_json: bool) -> None:
    """Tell systemd or launchd of the service, or no longer; None = only show how."""
    from api.cli import registration, surroundings
    from api.cli.stopping import stop_service

    found = registration.registration(session)
    if is_wanted is None:
        has_changed = False
    elif is_wanted:
        has_changed = registration.install(session, found, lambda: stop_service(session))
    else:
        has_changed = registration.uninstall(session, found)
    if as_json:
        told = {"manager": found.manager, "file": str(found.file), "changed": has_changed}
        print_json({**told, "installed": bool(is_wanted), "text": found.text})
    elif is_wanted is None:
        print_text(found.text.rstrip())
        say(f"This belongs into {found.file}.")
    else:
        words = {(1, 1): "now starts", (1, 0): "already starts"}
        does = words.get((is_wanted, has_changed), "does not start")
        say(f"{found.manager} {does} Garage at every login ({found.file}).")
    if is_wanted is not False and (said := surroundings.left_behind(session)):
        say(said)


def _end(number: int, frame: object) -> None:
    raise SystemExit(0)


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show whether the service runs, and how it stands. Starts nothing."""
    from api.client import standing

    session = session_of(context)
    found: dict[str, Any] = {"running": False, "dataFolder": str(session.data)}
    if there := standing(session.data, asks_neo4j=True):
        service, health = there
        found |= {
            "running": True,
            "pid": service.pid,
            "url": f"http://127.0.0.1:{service.port}",
            "version": service.version,
            "state": health.state,
            "message": " ".join(filter(None, (health.message, health.hint))),
            "settings": _settings_of(session, service),
        }
        if health.state == "ready":
            found |= _jobs(session)
    elif broken := _broken_settings(session):
        found["settings"] = broken
    if as_json:
        print_json(found)
    else:
        print_table(("what", "is"), list(found.items()), session)


def _jobs(session: Session) -> dict[str, Any]:
    """Return how the queue stands; nothing where the service cannot tell."""
    with suppress(GarageError):
        found: Any = session.run("stats")
        return {f"jobs{state.title()}": number for state, number in found["jobs"].items()}
    return {}


def _settings_of(session: Session, service: "Service") -> str:
    from api.cli import staleness

    said = staleness.warning(service, session.environment, session.config_name)
    return said or "as they are now"


def _broken_settings(session: Session) -> str:
    """Return why no service can be started with the settings; empty when one can."""
    from api import settings, settings_check

    try:
        settings_check.refuse_exposed(settings.load(session.config_name, session.environment))
    except GarageError as error:
        return f"No service can start with them: {error}"
    return ""


def stop(context: typer.Context, as_json: Json = False) -> None:
    """Stop the service, and the Neo4j that it runs. What is stored stays."""
    from api.cli.stopping import stop_service  # psutil, which no other command needs

    pid = stop_service(session_of(context))
    if as_json:
        print_json({"stopped": pid is not None, "pid": pid})
    elif pid is None:
        say("No service runs.")
    else:
        say(f"The service (pid {pid}) has stopped.")


def open_pages(
    context: typer.Context,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the link; open no browser.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Open the service's pages in a browser. The link works once, for a minute."""
    url = session_of(context).login_link()
    if as_json:
        print_json({"url": url})
        return
    print(url)
    if not only_print:
        import webbrowser

        if not webbrowser.open(url):
            say("No browser could be opened: open the link yourself.")
