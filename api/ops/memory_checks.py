"""Checks of what somebody wants remembered: every limit has a name, and nothing is cut silently."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, get_args

from graphstore.errors import InvalidInput, TooLarge
from graphstore.memories import Kind, Origin, Status

MAX_CHARACTERS: Final = 16_000
"""Characters of a memory: it is a thing to remember. `store` takes whole texts."""
MAX_TITLE: Final = 300
MAX_TAGS: Final = 50
"""Tags of a memory, and subjects."""
MAX_TAG: Final = 100
MAX_EVIDENCE: Final = 100
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


def text(given: str) -> str:
    """Return the text of a memory, without the white space around it.

    Raises:
        InvalidInput: it is blank, or no text.
        TooLarge: it is longer than `MAX_CHARACTERS`.
    """
    found = given.strip()
    if not found:
        raise InvalidInput("The text is empty.", hint="Say what is to be remembered.")
    _require_text("text", found)
    if len(found) > MAX_CHARACTERS:
        message = f"The text has {len(found):,} characters; a memory has {MAX_CHARACTERS:,} at most"
        hint = "Hand a longer text over with 'garage store' (rag_store), and remember what it says."
        raise TooLarge(f"{message}.", hint=hint)
    return found


def verbatim(given: str, most_bytes: int) -> str:
    """Return a text as it is.

    Raises:
        InvalidInput: it is blank, or no text.
        TooLarge: it has more than `most_bytes`.
    """
    if not given.strip():
        raise InvalidInput("The text is empty.", hint="Hand over what is to be kept.")
    _require_text("text", given)
    size = len(given.encode())
    if size > most_bytes:
        message = f"The text has {size:,} bytes; {most_bytes:,} at most (256 KiB) are stored."
        raise TooLarge(message, hint="Save it as a file of a source, then 'garage ingest'.")
    return given


def block(given: str) -> str:
    """Return the text of a block of core memory, without the white space around it; maybe empty.

    Raises:
        InvalidInput: it is no text.
    """
    found = given.strip()
    _require_text("text", found)
    return found


def title(given: str) -> str:
    """Return a title on one line.

    Raises:
        InvalidInput: it is no text, or longer than `MAX_TITLE`.
    """
    found = " ".join(given.split())
    _require_text("title", found)
    _require_length("title", found, MAX_TITLE)
    return found


def labels(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Return tags or subjects, each once and on one line, in the order given.

    Raises:
        InvalidInput: one is blank, no text or too long, or there are more than `MAX_TAGS`.
    """
    found = tuple(dict.fromkeys(" ".join(each.split()) for each in given))
    if len(found) > MAX_TAGS:
        message = f"{name} names {len(found)} things; at most {MAX_TAGS}."
        raise InvalidInput(message, hint="Name fewer.")
    for each in found:
        if not each:
            raise InvalidInput(f"One of the {name} is empty.", hint="Leave it out.")
        _require_text(name, each)
        _require_length(name, each, MAX_TAG)
    return found


def evidence(given: Sequence[str]) -> tuple[str, ...]:
    """Return references of evidence, each once.

    Raises:
        InvalidInput: there are more than `MAX_EVIDENCE`.
    """
    found = tuple(dict.fromkeys(given))
    if len(found) > MAX_EVIDENCE:
        message = f"evidence names {len(found)} things; at most {MAX_EVIDENCE}."
        raise InvalidInput(message, hint="Name what it rests on most.")
    return found


def importance(given: float) -> float:
    """Return an importance.

    Raises:
        InvalidInput: it is outside 0 to 1.
    """
    if not 0 <= given <= 1:
        raise InvalidInput(f"importance is {given}.", hint="Say 0 to 1; 0.5 is usual.")
    return float(given)


def expiry(given: datetime | None, now: datetime) -> datetime | None:
    """Return when a memory expires, in UTC.

    Raises:
        InvalidInput: the moment is past, or has no time zone.
    """
    if given is None:
        return None
    if given.tzinfo is None:
        message = f"expires_at is {given.isoformat()}, in no time zone."
        raise InvalidInput(message, hint="Say it with an offset, as in 2027-01-31T12:00:00+01:00.")
    moment = given.astimezone(UTC)
    if moment <= now:
        message = f"expires_at is {moment.isoformat()}, which is past."
        raise InvalidInput(message, hint="Name a moment to come, or none.")
    return moment


def _require_text(name: str, found: str) -> None:
    if "\0" in found:
        message = f"{name} holds a null character."
        raise InvalidInput(message, hint="Hand over text, not bytes.")
    try:
        found.encode()
    except UnicodeEncodeError:
        message = f"{name} holds half a character (a lone surrogate)."
        raise InvalidInput(message, hint="Hand over valid Unicode.") from None


def _require_length(name: str, found: str, most: int) -> None:
    if len(found) > most:
        message = f"{name} has {len(found):,} characters; at most {most}."
        raise InvalidInput(message, hint="Say it shorter.")
