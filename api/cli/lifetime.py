"""Commands about the service itself: serve, status, stop, open, and the stdio relay."""

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Annotated, Any, Final

import typer

from api.cli.options import Json
from api.cli.output import print_json, print_table, say
from api.cli.session import Session, session_of
from graphstore.errors import Unavailable

_STOP_TIMEOUT_S: Final = 45.0
"""A service at work ends its batch, its runs and Neo4j, each with a limit of its own."""
_START_TIMEOUT_S: Final = 60.0
"""Until a service that was only just started has said who it is."""
_POLL_S: Final = 0.05


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("serve")(serve)
    app.command("status")(status)
    app.command("stop")(stop)
    app.command("open")(open_pages)
    app.command("mcp")(mcp)


def serve(
    context: typer.Context,
    background: Annotated[
        bool, typer.Option("--background", help="Stop when idle; log to the file only.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run the service here until Ctrl-C. Other commands start it by themselves."""
    # Imported here, with everything heavy: no other command needs it.
    from api.serve.service import Serving, serve
    from api.settings import load

    session = session_of(context)
    loaded = load(session.config_name, session.environment)
    # uvicorn raises a signal again when it has shut down: as it was, that would end the process
    # before Neo4j and the runs are closed.
    signal.signal(signal.SIGTERM, _end)
    serve(Serving(loaded, dict(session.environment), background))
    if as_json:
        print_json({"stopped": True})


def _end(number: int, frame: object) -> None:
    raise SystemExit(0)


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show whether the service runs, and how it stands. Starts nothing."""
    from api.client import find, health

    session = session_of(context)
    service = find(session.data)
    standing = health(service) if service else None
    if service is None or standing is None:
        found: dict[str, Any] = {"running": False, "dataFolder": str(session.data)}
    else:
        found = {
            "running": True,
            "dataFolder": str(session.data),
            "pid": service.pid,
            "url": f"http://127.0.0.1:{service.port}",
            "version": service.version,
            "state": standing.state,
            "message": standing.message,
        }
    if as_json:
        print_json(found)
    else:
        print_table(("what", "is"), list(found.items()), session)


def stop(context: typer.Context, as_json: Json = False) -> None:
    """Stop the service, and the Neo4j that it runs. What is stored stays."""
    session = session_of(context)
    pid = stop_service(session)
    if as_json:
        print_json({"stopped": pid is not None, "pid": pid})
    elif pid is None:
        say("No service runs.")
    else:
        say(f"The service (pid {pid}) has stopped.")


def stop_service(session: Session) -> int | None:
    """End the service of the data folder and wait for it; return its pid, None when none runs.

    Raises:
        Unavailable: it does not end in time.
    """
    from api.client import is_running
    from api.serve import lifetime  # psutil tells a process from a later one of the same pid

    record = lifetime.living(session.data, _START_TIMEOUT_S)
    if record is None:
        return None
    with suppress(ProcessLookupError):
        os.kill(record.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    while is_running(record.pid) and record.is_alive:
        if time.monotonic() > deadline:
            message = f"The service (pid {record.pid}) did not end in {_STOP_TIMEOUT_S:.0f} s."
            raise Unavailable(message, hint="Its log says what it is at; 'kill' ends it at once.")
        time.sleep(_POLL_S)
    return record.pid


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


def mcp(context: typer.Context, as_json: Json = False) -> None:
    """Speak MCP over standard input and output, for an assistant that starts this command."""
    del as_json  # it speaks JSON in any case
    from api.cli.relay import relay

    client = session_of(context).client
    relay(client.place, sys.stdin.buffer, sys.stdout.buffer)
