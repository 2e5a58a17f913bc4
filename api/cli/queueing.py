"""`garage jobs`: what waits in the queue, what failed; tried again, or dropped."""

from typing import Annotated, Any

import typer

from api.cli import suggestions
from api.cli.asking import agreed
from api.cli.options import Json, Yes
from api.cli.output import print_json, print_table, say
from api.cli.session import Session, session_of
from api.cli.working import tell_waiting
from graphstore.errors import InvalidInput

Kind = Annotated[str | None, typer.Option(help="Only of this kind.")]
State = Annotated[
    str | None,
    typer.Option(
        help="queued, waiting, running, failed or done; else all but done.",
        autocompletion=suggestions.job_states,
    ),
]
Uids = Annotated[list[str] | None, typer.Argument(metavar="[UID]...", help="Jobs, by uid.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="The queue: what waits to be done, what failed.",
        rich_markup_mode=None,
        add_completion=False,
        invoke_without_command=True,
        callback=_list_by_itself,
    )
    group.command("list")(list_jobs)
    group.command("retry")(retry)
    group.command("drop")(drop)
    app.add_typer(group, name="jobs")


def _list_by_itself(context: typer.Context, as_json: Json = False) -> None:
    if context.invoked_subcommand is None:
        wish = {"state": None, "kind": None, "first": 20, "after": None}
        _list(session_of(context), wish, as_json=as_json)


def list_jobs(
    context: typer.Context,
    state: State = None,
    kind: Kind = None,
    first: Annotated[int, typer.Option(help="How many at a time, at most 100.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on after this page.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List jobs in the order of work."""
    wish = {"state": state, "kind": kind, "first": first, "after": after}
    _list(session_of(context), wish, as_json=as_json)


def retry(
    context: typer.Context, uids: Uids = None, kind: Kind = None, as_json: Json = False
) -> None:
    """Have jobs tried again: all that failed, or those named."""
    _refuse_both(uids, kind)
    done: Any = session_of(context).run("retry_jobs", jobs=uids or [], kind=kind)
    if as_json:
        print_json(done)
        return
    if done["jobs"]:
        say(f"{done['jobs']:,} in the queue again. Next: garage work")
    else:
        say("None of them failed or waits; there is nothing to try again.")


def drop(
    context: typer.Context,
    uids: Uids = None,
    state: Annotated[
        str,
        typer.Option(
            help="When none is named: of this state.", autocompletion=suggestions.job_states
        ),
    ] = "failed",
    kind: Kind = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove jobs, those that failed or those named; what they were to do is not done."""
    _refuse_both(uids, kind)
    if not yes:
        of_kind = f" of the kind '{kind}'" if kind else ""
        what = f"{len(uids)} named" if uids else f"all {state}{of_kind}"
        agreed(f"Drop jobs: {what}?", "Nothing was dropped.")
    done: Any = session_of(context).run("drop_jobs", jobs=uids or [], state=state, kind=kind)
    if as_json:
        print_json(done)
        return
    say(f"Dropped: {done['jobs']:,}.")


def _refuse_both(uids: list[str] | None, kind: str | None) -> None:
    if uids and kind:
        message = "UID and --kind say two things."
        raise InvalidInput(message, hint="Name jobs, or choose them by what they are.")


def _list(session: Session, wish: dict[str, Any], *, as_json: bool = False) -> None:
    page: Any = session.run("jobs", **wish)
    found = [edge["node"] for edge in page["edges"]]
    if as_json:
        print_json(page)
        return
    rows = [_row(each) for each in found]
    headers = ("uid", "kind", "state", "tried", "document", "until or why")
    print_table(headers, rows, session, empty="There are no such jobs.")
    if page["pageInfo"]["hasNextPage"]:
        say(f"There are more: --after {page['pageInfo']['endCursor']}")
    tell_waiting(session.run("queue"))


def _row(job: Any) -> list[Any]:
    until = (job["runAfter"] or job["leaseUntil"] or "")[:19].replace("T", " ")
    said = " ".join(filter(None, (until, job["error"])))
    return [job["uid"], job["kind"], job["state"], job["attempts"], job["documentUri"], said]
