"""`garage memory forget`: memories go for good, once it was said how much goes with them."""

from typing import Annotated, Any

import typer

from api.cli import asking
from api.cli.options import Json, Yes
from api.cli.output import print_json, say
from api.cli.session import Session, session_of
from api.visible import safe_line


def register(app: typer.Typer) -> None:
    """Add the command under both of its names."""
    app.command("forget")(forget)
    app.command("rm", short_help="The same as forget.")(forget)


def forget(
    context: typer.Context,
    identities: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of memories.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget memories for good: text, vectors, history and every trace."""
    session = session_of(context)
    if not (yes or dry_run):
        plan: Any = session.run("forget_memories", ids=identities, dryRun=True)
        names = [_title(session, each["memoryId"]) for each in plan["memories"]]
        what = names[0] if len(names) == 1 else f"{len(names)} memories ({'; '.join(names)})"
        question = f"Forget {what}, with {_removed(plan)}? This cannot be undone."
        asking.agreed(question, "Nothing was forgotten.")
    done: Any = session.run("forget_memories", ids=identities, dryRun=dry_run)
    if as_json:
        print_json(done)
        return
    count = len(done["memories"])
    what = "1 memory" if count == 1 else f"{count} memories"
    say(f"{'Would forget' if dry_run else 'Forgot'} {what}, with {_removed(done)}.")


def _removed(done: Any) -> str:
    """Return what goes, in words."""
    counts: dict[str, int] = {}
    for memory in done["memories"]:
        for each in memory["removed"]:
            counts[each["name"]] = counts.get(each["name"], 0) + int(each["number"])
    told = [f"{number:,} {name}" for name, number in counts.items() if number]
    return ", ".join(told) or "nothing else"


def _title(session: Session, identity: str) -> str:
    memory: Any = session.run("memory", id=identity)
    return f"“{safe_line(memory['title'])}”" if memory else identity
