"""The commands, put together, and the one place where their errors become exit codes."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from api.cli import (
    access,
    assistants,
    completion,
    configuration,
    corpus,
    demo_command,
    doctor,
    history,
    ingesting,
    lifetime,
    memory,
    queueing,
    searching,
    stating,
    storing,
    working,
)
from api.cli.failures import INTERRUPTED, LEGEND, tell, tell_defect, tell_error
from api.cli.session import Session, session_of
from graphstore.errors import GarageError

ROOMS = (
    corpus,
    ingesting,
    searching,
    memory,
    storing,
    working,
    queueing,
    stating,
    history,
    lifetime,
    assistants,
    configuration,
    access,
    doctor,
    completion,
    demo_command,
)
"""Each brings its commands by `register`."""

app = typer.Typer(
    name="garage",
    help="Your own knowledge, searchable: files, mail and code in one graph on this machine.",
    epilog=LEGEND,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _say_in_full(group: typer.Typer) -> None:
    """Let the list of commands wrap the first line of each description instead of cutting it."""
    for command in group.registered_commands:
        said = (command.callback and command.callback.__doc__) or ""
        command.short_help = command.short_help or said.partition("\n")[0]
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            inner.short_help = str(inner.typer_instance.info.help)
            _say_in_full(inner.typer_instance)


for room in ROOMS:
    room.register(app)
_say_in_full(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("garage"))
        raise typer.Exit(0)


@app.callback()
def garage(
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option(help="Settings file, instead of the one in its usual place.")
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take the options that stand before the command."""
    session_of(context).config = config


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command that `arguments` name and return its exit code."""
    as_json = "--json" in arguments
    session = Session(environment)
    _survive_any_text()
    if completion.VARIABLE in environment:
        completion.prepare()
    try:
        result: Any = app(
            args=list(arguments), prog_name="garage", standalone_mode=False, obj=session
        )
    except GarageError as error:
        return tell_error(error, as_json=as_json)
    except TyperException as error:
        return _tell_usage(error, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        print(file=sys.stderr)
        return INTERRUPTED
    except Exception as error:  # the one place of the command line that catches everything
        return tell_defect(error, session.data, as_json=as_json)
    return result if isinstance(result, int) else 0


def _tell_usage(error: TyperException, *, as_json: bool) -> int:
    show: Any = getattr(error, "show", None)
    if as_json or show is None:
        return tell("INVALID_INPUT", error.format_message(), "See --help.", as_json=as_json)
    show()
    if "unexpected extra argument" in error.format_message():
        print("Several words are one argument when they stand in quotes.", file=sys.stderr)
    if "No such option" in error.format_message():
        print("A name that begins with '-' comes after '--'.", file=sys.stderr)
    return error.exit_code


def _survive_any_text() -> None:
    """Let a terminal of another encoding show what it can instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
