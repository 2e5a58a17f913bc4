"""Cursors: opaque places in lists that begin with what changed last."""

import base64
import binascii
from datetime import datetime

from graphstore.errors import InvalidInput


def cursor(changed_at: datetime, uid: str) -> str:
    """Return the place of a thing that was last changed at a moment."""
    return base64.urlsafe_b64encode(f"{changed_at.isoformat()} {uid}".encode()).decode()


def position(cursor: str, called: str) -> tuple[datetime, str]:
    """Return the moment and uid of a place; `called` is the field that handed it out.

    Raises:
        InvalidInput: it is no cursor of ours.
    """
    try:
        text, uid = base64.urlsafe_b64decode(cursor.encode()).decode().split(" ")
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:  # one without a zone compares with nothing
            return moment, uid
    except (ValueError, binascii.Error):
        pass
    message = "The cursor is none of ours."
    raise InvalidInput(message, hint=f"Pass on the {called} of the page before.")
