"""Cursors: opaque places in lists, such as those that begin with what changed last."""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from graphstore.errors import InvalidInput

T = TypeVar("T")


def cursor(changed_at: datetime, uid: str) -> str:
    """Return the place of a thing that was last changed at a moment."""
    return encoded(changed_at.isoformat(), uid)


def position(cursor: str, called: str) -> tuple[datetime, str]:
    """Return the moment and uid of a place; `called` is the field that handed it out.

    Raises:
        InvalidInput: it is no cursor of ours.
    """
    return decoded(cursor, called, _moment)


def encoded(place: str, uid: str) -> str:
    """Return the place of a thing in a list; `place` has no blank in it."""
    return base64.urlsafe_b64encode(f"{place} {uid}".encode()).decode()


def decoded(cursor: str, called: str, read: Callable[[str], T]) -> tuple[T, str]:
    """Return a place, read from its text, and the uid; `called` is the field that handed it out.

    Raises:
        InvalidInput: it is no cursor of ours.
    """
    try:
        place, uid = base64.urlsafe_b64decode(cursor.encode()).decode().split(" ")
        return read(place), uid
    except (ValueError, binascii.Error):
        message = "The cursor is none of ours."
        raise InvalidInput(message, hint=f"Pass on the {called} of the page before.") from None


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:  # one without a zone compares with nothing
        raise ValueError(text)
    return moment
