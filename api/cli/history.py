"""Commands that count and look back: `garage stats`, `garage log`."""

from typing import Annotated, Any

import typer

from api.cli.options import Json
from api.cli.output import print_json, print_table, say
from api.cli.session import session_of

_COUNTED = ("sources", "documents", "chunks", "pending", "authors", "searches", "activities")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("stats")(stats)
    app.command("log")(log)


def stats(context: typer.Context, as_json: Json = False) -> None:
    """Show how much there is of everything, and what waits for a vector or for work."""
    session = session_of(context)
    found: Any = session.run("stats")
    if as_json:
        print_json(found)
        return
    counted = [(name, found[name]) for name in _COUNTED]
    counted += [(f"jobs {state}", number) for state, number in found["jobs"].items()]
    print_table(("what", "how many"), counted, session)
    print()
    keys = ("name", "state", "dimensions", "pending", "refused", "error")
    rows = [[each[key] for key in keys] for each in found["models"]]
    print_table(("model", *keys[1:]), rows, session)


def log(
    context: typer.Context,
    limit: Annotated[int, typer.Option(help="How many entries, at most 500.")] = 50,
    verb: Annotated[str | None, typer.Option(help="Only this verb.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only by this client.")] = None,
    before: Annotated[
        str | None, typer.Option(metavar="UID", help="Go on before the entry of this uid.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show who wrote what, newest first."""
    session = session_of(context)
    found: Any = session.run("log", limit=limit, verb=verb, actor=actor, before=before)
    if as_json:
        print_json(found)
        return
    rows = [_row(each) for each in found]
    headers = ("when", "who", "what", "to what", "why")
    print_table(headers, rows, session, empty="Nothing in the log is like that.")
    if found and len(found) == limit:
        say(f"There may be more: --before {found[-1]['uid']}")


def _row(entry: Any) -> list[str]:
    when = entry["at"][:19].replace("T", " ")
    targets = entry["targets"]
    more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
    return [when, entry["actor"], entry["verb"], "".join(targets[:1]) + more, entry["reason"]]
