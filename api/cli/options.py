"""Options that several commands share, each said once."""

from datetime import datetime
from typing import Annotated

import typer

from graphstore.errors import InvalidInput

Json = Annotated[bool, typer.Option("--json", help="Print JSON; errors too.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="Name of the source.")]


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


def read_standard_input() -> str:
    """Return what standard input holds, as text.

    Raises:
        InvalidInput: it is no UTF-8.
    """
    try:
        return typer.get_text_stream("stdin", encoding="utf-8").read()
    except UnicodeDecodeError:
        message = "Standard input is no UTF-8 text."
        raise InvalidInput(message, hint="Type the query, or pipe text.") from None
