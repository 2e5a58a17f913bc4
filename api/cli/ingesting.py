"""`garage ingest`: starts a run in the service, follows it, and can stop it at any moment."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from api.amounts import amount
from api.cli import stored, suggestions
from api.cli.failures import FAILURE, INTERRUPTED
from api.cli.options import Json, Yes
from api.cli.output import print_json, print_table, say
from api.cli.progress import Progress
from api.cli.session import Session, session_of
from graphstore.errors import NotFound
from graphstore.records import STORE

_COUNTS: Final = ("stored", "unchanged", "skipped", "too_large", "failed", "removed")
_EXITS: Final[Mapping[str, int]] = {"done": 0, "needs_confirmation": FAILURE, "failed": FAILURE}


@dataclass(frozen=True, slots=True)
class Followed:
    """A run, followed to its end."""

    run: Mapping[str, Any]
    was_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a run may remove without asking."""

    vanished: bool = False
    """Files that are gone, however many they are."""
    missing_root: bool = False
    """Every file, when the root itself is gone."""


NOTHING: Final = Accepted()
EVERYTHING: Final = Accepted(vanished=True, missing_root=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("ingest")(ingest)


def ingest(
    context: typer.Context,
    slugs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SLUG]...",
            help="Sources to read; else all of them.",
            autocompletion=suggestions.sources,
        ),
    ] = None,
    yes: Yes = False,
    accept_missing_root: Annotated[
        bool,
        typer.Option(
            "--accept-missing-root",
            help="Remove all files of a source whose folder is gone; --yes alone does not.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Read sources, or all of them, into the graph. Ctrl-C stops it; the next run goes on."""
    session = session_of(context)
    accepted = Accepted(yes, accept_missing_root)
    ended: list[Followed] = []
    for each in _chosen(session, slugs or [], is_quiet=as_json):
        ended.append(_ingest_one(session, each, accepted, may_ask=not as_json))
        if ended[-1].was_interrupted:
            break
    if as_json:
        print_json([followed.run for followed in ended])
    else:
        report(session, ended)
        _tell_pending(session)
    if any(followed.was_interrupted for followed in ended):
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(max((_EXITS.get(each.run["state"], FAILURE) for each in ended), default=0))


def follow(session: Session, slug: str, accepted: Accepted = NOTHING) -> Followed:
    """Start a run and follow it to its end; Ctrl-C asks it to stop and waits for that."""
    wish = {"confirm": accepted.vanished, "acceptMissingRoot": accepted.missing_root}
    run: Any = session.run("ingest", slug=slug, **wish)["run"]
    try:
        return Followed(_events(session, run["uid"], slug))
    except KeyboardInterrupt:
        say("\nStopping after the file at hand. Ctrl-C again leaves at once.")
        with suppress(NotFound):  # it may have ended meanwhile
            session.run("cancel_ingest", run=run["uid"])
        return Followed(_events(session, run["uid"], slug), was_interrupted=True)


def report(session: Session, ended: list[Followed], *, says_next: bool = True) -> None:
    """Print how runs went, and what to type next where something is left to do."""
    if ended:
        headers = ("source", "state", *_COUNTS)
        rows = [
            (each.run["source"], each.run["state"], *(_counts(each)[name] for name in _COUNTS))
            for each in ended
        ]
        print_table(headers, rows, session)
    for each in ended:
        _tell(each, says_next=says_next)


def _chosen(session: Session, named: list[str], *, is_quiet: bool) -> list[str]:
    """Return the sources to read: the named ones, each once, or all that are read by themselves."""
    if named:
        return list(dict.fromkeys(named))
    found: Any = session.run("sources")
    if not any(each["root"] != STORE for each in found) and not is_quiet:
        say("There are no sources to read yet. Next: garage add-source SLUG ROOT")
    for each in found:
        if each["standing"] == "undeclared" and not is_quiet:
            slug = each["slug"]
            say(f"{slug}: left out, garage.json no longer declares it ('garage ingest {slug}').")
    return [each["slug"] for each in found if each["automatic"]]


def _ingest_one(session: Session, slug: str, accepted: Accepted, *, may_ask: bool) -> Followed:
    followed = follow(session, slug, accepted)
    asks = followed.run["state"] == "needs_confirmation" and may_ask and sys.stdin.isatty()
    if asks and typer.confirm(f"{slug}: {followed.run['message']} Go on?", err=True):
        return follow(session, slug, EVERYTHING)
    return followed


def _tell_pending(session: Session) -> None:
    pending: int = session.run("stats")["pending"]
    if pending:
        say(f"{amount(pending, 'chunk')} still without a vector; until then words find them.")


def _tell(followed: Followed, *, says_next: bool) -> None:
    run = followed.run
    slug = run["source"]
    if run["message"]:
        say(f"{slug}: {run['message']}")
    if run["state"] == "needs_confirmation":
        flag = "--accept-missing-root" if "Confirm that it is gone" in run["message"] else "--yes"
        say(f"Next: garage ingest {slug} {flag}")
    if says_next and any(_counts(followed)[name] for name in ("skipped", "too_large", "failed")):
        say(f"Why some were not stored: garage files {slug}")
    if followed.was_interrupted:
        say(f"Interrupted. What was stored is kept; 'garage ingest {slug}' goes on.")


def _events(session: Session, uid: str, slug: str) -> Mapping[str, Any]:
    """Return the run as it ended, showing how far it is meanwhile."""
    events = session.client.follow(stored.operation("ingest_progress"), {"run": uid})
    with Progress(slug) as progress:
        for data in events:
            (event,) = data.values()
            if event["__typename"] == "IngestRun":
                return event
            progress.show(event["done"], event["total"], event["path"])
    return {"uid": uid, "source": slug, "state": "failed", "message": "", "counts": []}


def _counts(followed: Followed) -> dict[str, int]:
    found = {each["name"]: int(each["number"]) for each in followed.run["counts"]}
    return {name: found.get(name, 0) for name in _COUNTS}
