"""`garage completion`: what makes a shell complete commands and options."""

from pathlib import PurePath
from typing import Annotated, Final, Literal, get_args

import typer

from api.cli.options import Json
from api.cli.output import print_json
from api.cli.session import session_of
from graphstore.errors import InvalidInput

Shell = Literal["bash", "zsh", "fish", "powershell", "pwsh"]
VARIABLE: Final = "_GARAGE_COMPLETE"
"""Set by the script when it asks for completions; Typer answers then, before any command runs."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("completion")(completion)


def prepare() -> None:
    """Teach Typer the shells: without its own options it knows none."""
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()


def completion(
    context: typer.Context,
    shell: Annotated[
        Shell | None, typer.Argument(help="Which shell; else the one of your login.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the completion script of a shell, for its start-up file to run."""
    # Typer has no public name for it.
    from typer._completion_shared import get_completion_script

    login = PurePath(session_of(context).environment.get("SHELL", "")).name
    name = shell or login
    if name not in get_args(Shell):
        known = ", ".join(get_args(Shell))
        raise InvalidInput(f"Which shell is meant? Yours is '{login}'.", hint=f"Say one: {known}.")
    script = get_completion_script(prog_name="garage", complete_var=VARIABLE, shell=name)
    if as_json:
        print_json({"shell": name, "script": script})
    else:
        print(script)
