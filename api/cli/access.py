"""`garage token`: who else may call the service. Works without it."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.options import Json
from api.cli.output import print_json, print_table, say
from api.cli.session import session_of

if TYPE_CHECKING:
    from api.serve.tokens import Tokens

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the client.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Let other programs call the service.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
    )
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("remove")(remove)
    app.add_typer(group, name="token")


def add(
    context: typer.Context,
    name: Name,
    write: Annotated[bool, typer.Option("--write", help="It may write, too.")] = False,
    as_json: Json = False,
) -> None:
    """Make a token for a client. It is shown this once and kept nowhere."""
    secret = _tokens(context).add(name, write)
    if as_json:
        print_json({"name": name, "mayWrite": write, "token": secret})
        return
    print(secret)
    say(f"This is the token of '{name}'. It cannot be shown again.")


def list_all(context: typer.Context, as_json: Json = False) -> None:
    """List the clients that have a token."""
    tokens = _tokens(context).listed()
    if as_json:
        print_json([{"name": each.name, "mayWrite": each.may_write} for each in tokens])
        return
    rows = [(each.name, "yes" if each.may_write else "no") for each in tokens]
    print_table(("name", "may write"), rows, session_of(context))


def remove(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Remove a client's token; it is refused from then on."""
    _tokens(context).remove(name)
    if as_json:
        print_json({"removed": name})
    else:
        say(f"Removed the token of '{name}'.")


def _tokens(context: typer.Context) -> "Tokens":
    from api.serve.tokens import Tokens

    folder = session_of(context).data
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Tokens(folder)
