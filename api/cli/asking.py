"""Asking: a person agrees to what cannot be taken back, or nothing happens."""

import typer

from api.cli.output import say

_UNASKED = "--yes goes on without asking."


def agreed(question: str, otherwise: str) -> None:
    """Return when the person says yes.

    Raises:
        typer.Abort: they do not, or nobody answers; `otherwise` was told then.
    """
    try:
        typer.confirm(question, abort=True, err=True)
    except typer.Abort:
        say(f"\n{otherwise} {_UNASKED}")
        raise


def typed(question: str, word: str, otherwise: str) -> None:
    """Return when the person types a word that nobody types by mistake.

    Raises:
        typer.Abort: they do not, or nobody answers; `otherwise` was told then.
    """
    try:
        if typer.prompt(question, default="", show_default=False, err=True) == word:
            return
    except typer.Abort:
        pass
    say(f"\n{otherwise} {_UNASKED}")
    raise typer.Abort
