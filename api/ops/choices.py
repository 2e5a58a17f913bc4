"""Choices: a value that must be one of a few."""

from collections.abc import Sequence
from typing import TypeVar

from graphstore.errors import InvalidInput

_Name = TypeVar("_Name", bound=str)


def one_of(name: str, given: str, allowed: Sequence[_Name]) -> _Name:
    """Return the one of `allowed` that is given.

    Raises:
        InvalidInput: it is none.
    """
    for each in allowed:
        if each == given:
            return each
    message = f"{name} is '{given}'."
    raise InvalidInput(message, hint=f"It may be: {', '.join(allowed) or 'nothing yet'}.")
