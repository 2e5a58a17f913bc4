"""Defects: errors that nobody meant, told to the log by kind and place, never by their text.

The text of such an error may hold a query, a document or a secret. Who meets one is given an id,
under which the log says where it happened.
"""

import logging
import traceback
from typing import Final

_LOG: Final = logging.getLogger(__name__)
_FRAMES: Final = 8


def log(unique: str, place: str, error: BaseException | None) -> None:
    """Write down that something failed at `place`, under an id that its caller is told."""
    where = traceback.extract_tb(error.__traceback__ if error else None)[-_FRAMES:]
    frames = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(where))
    _LOG.error("request %s failed at %s: %s in %s", unique, place, type(error).__name__, frames)


def told(unique: str) -> str:
    """Return what a caller is told."""
    return f"Something failed inside Garage. Its log names request {unique}."
