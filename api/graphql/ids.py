"""Ids: opaque names of things in the schema, `base64(Type:key)`."""

import base64
import binascii

from graphstore.errors import InvalidInput


def encode(kind: str, key: str) -> str:
    """Return the opaque id of the thing of this kind."""
    return base64.b64encode(f"{kind}:{key}".encode()).decode()


def decode(text: str) -> tuple[str, str]:
    """Return the kind and the key that an id names.

    Raises:
        InvalidInput: it is no id of ours.
    """
    try:
        kind, colon, key = base64.b64decode(text.encode(), validate=True).decode().partition(":")
    except (ValueError, binascii.Error):
        kind = colon = key = ""
    if not (kind and colon and key):
        message = "This is no id of ours."
        raise InvalidInput(message, hint="Pass on an `id` that a reply holds.")
    return kind, key


def key_of(kind: str, text: str) -> str:
    """Return the key that an id of this kind names, or the text itself when it is a plain key."""
    try:
        found, key = decode(text)
    except InvalidInput:
        return text
    return key if found == kind else text
