"""Options that several commands share, each said once."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from api.cli import suggestions
from graphstore.errors import InvalidInput

Json = Annotated[bool, typer.Option("--json", help="Print JSON; errors too.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Many = list[str] | None
"""Of an option that may be repeated; None = it was not named."""
Revision = Annotated[
    int | None,
    typer.Option("--revision", help="The revision that you have seen; fails if it is another."),
]
Slug = Annotated[
    str,
    typer.Argument(metavar="SLUG", help="Name of the source.", autocompletion=suggestions.sources),
]
OneClass = Annotated[
    str,
    typer.Option(
        "--class",
        help="communication, document, code or reference; else by kind.",
        autocompletion=suggestions.classes,
    ),
]
Classes = Annotated[
    Many,
    typer.Option(
        "--class",
        help="communication, document, code or reference.",
        autocompletion=suggestions.classes,
    ),
]
OneTrust = Annotated[
    str,
    typer.Option(
        "--trust",
        help="authored, received or reference; else by kind.",
        autocompletion=suggestions.trusts,
    ),
]
Sources = Annotated[
    Many,
    typer.Option(
        "--source",
        help="Only from this source; may be repeated.",
        autocompletion=suggestions.sources,
    ),
]
OnlySource = Annotated[
    str | None, typer.Option(help="Only of this source.", autocompletion=suggestions.sources)
]


def moment(option: str, text: str | None) -> str | None:
    """Return a moment as the schema takes it, from a date or a date and time.

    Raises:
        InvalidInput: it is neither.
    """
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        message = f"{option} is '{text}'."
        raise InvalidInput(message, hint="Write 2026-03-01 or 2026-03-01T12:00.") from None


_TYPE_IT: Final = "Type it, name a file that holds it, or pipe it."


def text_or_pipe(given: str | None, example: str) -> str:
    """Return a text that was typed, or, for `-` and nothing in a pipe, what is piped.

    Raises:
        InvalidInput: nothing was typed, and nothing is piped.
    """
    if given not in {None, "-"}:
        return str(given)
    if given is None and sys.stdin.isatty():
        hint = f"Type it, as in: {example}" if example else _TYPE_IT
        raise InvalidInput("There is no text.", hint=hint)
    return read_standard_input()


def contents(file: Path | None) -> str:
    """Return what a file holds, or, for `-` and none, what is piped: every character of it.

    Raises:
        InvalidInput: it cannot be read, or is no UTF-8.
    """
    is_piped = file is None or str(file) == "-"
    if is_piped and sys.stdin.isatty():
        raise InvalidInput("There is no text.", hint=_TYPE_IT)
    name = "Standard input" if is_piped else str(file)
    try:
        # Not as text: that would change the ends of lines.
        data = typer.get_binary_stream("stdin").read() if is_piped else Path(str(file)).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror}."
        raise InvalidInput(message, hint=_TYPE_IT) from error
    except UnicodeDecodeError:
        message = f"{name} is no UTF-8 text."
        raise InvalidInput(message, hint="Files of other kinds belong into a source.") from None


def read_standard_input() -> str:
    """Return what standard input holds, as text.

    Raises:
        InvalidInput: it is no UTF-8.
    """
    try:
        return typer.get_text_stream("stdin", encoding="utf-8").read()
    except UnicodeDecodeError:
        message = "Standard input is no UTF-8 text."
        raise InvalidInput(message, hint="Type it, or pipe UTF-8.") from None
