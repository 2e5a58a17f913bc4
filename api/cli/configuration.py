"""`garage config`: what the settings are, and where each comes from. Works without the service."""

import difflib
from typing import Annotated, Any

import typer

from api.cli import configuring, suggestions
from api.cli.options import Json
from api.cli.output import print_json, print_table, print_text
from api.cli.session import session_of
from graphstore.errors import NotFound

Origin = Annotated[bool, typer.Option("--origin", help="Show where it comes from, too.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Show, check and change the settings.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
    )
    group.command("get")(get)
    group.command("show")(show)
    group.command("path")(path)
    configuring.register(group)
    app.add_typer(group, name="config")


def get(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Such as search.limit.", autocompletion=suggestions.settings
        ),
    ],
    origin: Origin = False,
    as_json: Json = False,
) -> None:
    """Print one setting."""
    shown, origins = _settings(context)
    if name not in shown:
        nearest = difflib.get_close_matches(name, shown, n=1, cutoff=0.5)
        hint = f"Did you mean '{nearest[0]}'?" if nearest else "'garage config show' lists them."
        raise NotFound(f"There is no setting '{name}'.", hint=hint)
    where = origins.get(name, "default")
    if as_json:
        print_json({"name": name, "value": shown[name], **({"origin": where} if origin else {})})
    else:
        print_text(_shown(shown[name]) + (f"  ({where})" if origin else ""))


def show(context: typer.Context, origin: Origin = False, as_json: Json = False) -> None:
    """Print every setting; secrets stay hidden."""
    shown, origins = _settings(context)
    if as_json and not origin:
        print_json(shown)
    elif as_json:
        print_json(
            {
                name: {"value": value, "origin": origins.get(name, "default")}
                for name, value in shown.items()
            }
        )
    elif origin:
        rows = [(name, _shown(each), origins.get(name, "default")) for name, each in shown.items()]
        print_table(("setting", "value", "from"), rows, session_of(context))
    else:
        rows = [(name, _shown(value)) for name, value in shown.items()]
        print_table(("setting", "value"), rows, session_of(context))


def path(context: typer.Context, as_json: Json = False) -> None:
    """Print where the settings file, the data and the cache are."""
    from api import folders

    session = session_of(context)
    found = {
        "config": str(folders.config_file(session.environment, session.config_name)),
        "data": str(session.data),
        "logs": str(session.data / "logs"),
        "cache": str(folders.cache_folder(session.environment, session.config_name)),
    }
    if as_json:
        print_json(found)
    else:
        print_table(("what", "where"), list(found.items()), session)


def _settings(context: typer.Context) -> tuple[dict[str, Any], dict[str, str]]:
    from api.settings import load  # pydantic: only the commands that need it pay for it

    session = session_of(context)
    loaded = load(session.config_name, session.environment)
    return loaded.shown(), dict(loaded.origins)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False, default=list)
