"""Memory form: a memory as the fields of a form, and these as what to remember or change. Pure.

A change says nothing of a field that is as it was shown. Where somebody else changed the memory
meanwhile, each side's fields are kept: the person's own where the person changed something.
"""

from collections.abc import Mapping
from typing import Final

from api.ops.memories import ChangeRequest, RememberRequest
from api.serve.pages.form import moment
from api.serve.pages.posted import Sent
from graphstore.errors import GarageError, InvalidInput, TooLarge
from graphstore.memories import Memory, Revision

Typed = Mapping[str, str]
"""The fields of a form, by name; lists have one item on each line."""

CHANGED: Final = {
    "text": "What it says",
    "title": "Title",
    "tags": "Tags",
    "kind": "Kind",
    "subjects": "Subjects",
    "importance": "Importance",
    "expires_at": "Expires",
}
"""The fields that can be changed, and what they are called."""
ADDED: Final = {
    **CHANGED,
    "source": "Store",
    "class": "Class",
    "trust": "Trust",
    "evidence": "Rests on",
}
"""The fields of what is remembered."""
_LISTS: Final = frozenset({"tags", "subjects", "evidence"})
_FIELD_OF: Final = {"The": "text", "One": "tags", **{name: name for name in ADDED}}
"""The first word of an operation's message → the field that it is about."""


def read(sent: Sent) -> dict[str, str]:
    """Return the fields that a form sent; one that is not there is empty."""
    return {name: sent.one(name) for name in ADDED}


def typed(said: Memory | Revision) -> dict[str, str]:
    """Return a memory, or what it said before, as the fields of a form show it."""
    expires = said.expires_at.isoformat() if said.expires_at else ""
    return {
        "text": said.text,
        "title": said.title if said.is_titled else "",
        "tags": "\n".join(said.tags),
        "kind": said.kind,
        "subjects": "\n".join(said.subjects),
        "importance": str(said.importance),
        # A day is what a field of dates takes; it means the beginning of that day.
        "expires_at": expires.removesuffix("T00:00:00+00:00"),
    }


def differing(one: Typed, other: Typed) -> frozenset[str]:
    """Return the names of the fields in which two forms differ."""
    return frozenset(name for name in CHANGED if _plain(name, one) != _plain(name, other))


def to_remember(given: Typed) -> RememberRequest:
    """Return what a form asks to remember.

    Raises:
        InvalidInput: a number or a date is none.
    """
    return RememberRequest(
        text=given["text"],
        title=given["title"],
        tags=_items(given["tags"]),
        source=given["source"],
        corpus_class=given["class"],
        trust=given["trust"],
        kind=given["kind"],
        importance=_importance(given["importance"]),
        subjects=_items(given["subjects"]),
        evidence=_items(given["evidence"]),
        expires_at=moment("expires_at", given["expires_at"].strip()),
    )


def to_change(given: Typed, shown: Typed, revision: int) -> ChangeRequest:
    """Return what a form asks to change of the memory that it showed; None where nothing.

    Raises:
        InvalidInput: a number or a date is none.
    """
    named = differing(given, shown)
    expires = given["expires_at"].strip()
    return ChangeRequest(
        text=given["text"] if "text" in named else None,
        title=given["title"] if "title" in named else None,
        tags=_items(given["tags"]) if "tags" in named else None,
        kind=given["kind"] if "kind" in named else None,
        importance=_importance(given["importance"]) if "importance" in named else None,
        subjects=_items(given["subjects"]) if "subjects" in named else None,
        expires_at=moment("expires_at", expires) if "expires_at" in named else None,
        never_expires="expires_at" in named and not expires,
        expected_revision=revision,
    )


def merged(mine: Typed, now: Typed, before: Typed | None) -> dict[str, str]:
    """Return the fields for another attempt: what the person changed, and what it says now."""
    changed = frozenset(CHANGED) if before is None else differing(mine, before)
    return {name: mine[name] if name in changed else now[name] for name in CHANGED}


def field_of(error: GarageError) -> str:
    """Return the field that an error is about; empty when it is about none."""
    if isinstance(error, TooLarge):
        return "text"
    return _FIELD_OF.get(error.message.partition(" ")[0], "")


def _plain(name: str, fields: Typed) -> object:
    """Return what a field says, whatever white space it is typed with."""
    text = fields[name].replace("\r\n", "\n").strip()
    return _items(text) if name in _LISTS else text


def _items(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _importance(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInput(f"importance is '{text}'.", hint="Write 0 to 1, as in 0.5.") from error
