"""`garage facts`: what a document states, as of a time and as known at one."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

import typer

from api.amounts import amount
from api.cli.options import Json, moment
from api.cli.output import print_json, print_table, say
from api.cli.session import session_of

_UNPLAIN: Final = "stated"
"""How most facts are put; only another standing is told."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("facts")(facts)


def facts(
    context: typer.Context,
    document: Annotated[str, typer.Argument(help="A document: uri (source:path), path or uid.")],
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Only what was true at this moment, in UTC."),
    ] = None,
    known_at: Annotated[
        str | None,
        typer.Option("--known-at", metavar="DATE", help="What was known at this moment, in UTC."),
    ] = None,
    ended: Annotated[
        bool, typer.Option("--ended", help="With what the document states no longer.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a document states, in the order of its text."""
    session = session_of(context)
    found: Any = session.run(
        "facts",
        reference=document,
        asOf=moment("--as-of", as_of),
        knownAt=moment("--known-at", known_at),
        ended=ended,
    )
    if as_json:
        print_json(found)
        return
    rows = [(each["salience"], _when(each), _said(each), each["uid"]) for each in found["facts"]]
    if rows:
        print_table(("weight", "holds", "fact", "uid"), rows, session)
    for line in _told(found):
        say(line)


def _when(fact: Any) -> str:
    """Return when a fact holds, in days; the document's own date is no word of the text."""
    if fact["granularity"] == "document":
        return f"since {fact['validFrom'][:10]}" if fact["validFrom"] else ""
    first, last = (fact["validFrom"] or "")[:10], (fact["validTo"] or "")[:10]
    return f"{first} to {last}" if last else f"since {first}" if first else ""


def _said(fact: Any) -> str:
    marks = [] if fact["standing"] == _UNPLAIN else [fact["standing"]]
    marks += ["past"] if fact["isPast"] else []
    marks += [f"ended {fact['invalidatedAt'][:10]}"] if fact["invalidatedAt"] else []
    return f"{fact['text']} ({', '.join(marks)})" if marks else str(fact["text"])


def _told(found: Any) -> Iterable[str]:
    """Yield what a reader of the list should know of it."""
    if found["skipped"]:
        yield found["skipped"]
    elif found["isWaiting"]:
        yield "Its text waits to be read. Next: garage work"
    elif not found["isRead"]:
        yield "Its facts were not read yet. Next: garage work"
    elif not found["facts"]:
        yield "Nothing in it was worth stating."
    else:
        yield f"{amount(len(found['facts']), 'fact')}."
