"""`garage setup` and `garage demo`: fetch what is needed once, and show everything at work."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import Json
from api.cli.output import print_json, say
from api.cli.progress import Progress
from api.cli.session import session_of


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("setup")(setup)
    app.command("demo")(demo)


def setup(context: typer.Context, as_json: Json = False) -> None:
    """Fetch Neo4j, the embedding models and the pages' parts; what is there stays."""
    from api.serve import parts
    from api.settings import load

    session = session_of(context)
    loaded = load(session.config_name, session.environment)
    with Progress("setup") as progress:
        parts.fetch(loaded, dict(session.environment), progress.tell)
    if as_json:
        print_json({"cacheFolder": str(loaded.cache_folder)})
    else:
        say(f"Everything is in {loaded.cache_folder}. Next: garage add-source SLUG ROOT")


def demo(
    context: typer.Context,
    serve: Annotated[
        bool, typer.Option("--serve", help="Stay up at the end, until Ctrl-C.")
    ] = False,
    examples: Annotated[
        Path | None, typer.Option(help="Folder of the examples; else the checkout's own.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Ingest the examples into a graph of their own and search it; your data is not touched."""
    from api.cli import demo as story

    session = session_of(context)
    place = story.prepare(session, examples or story.EXAMPLES, stays_up=serve)
    found = story.play(place, stays_up=serve, is_quiet=as_json)
    if as_json:
        print_json(found)
