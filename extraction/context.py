"""Context of a chunk: where its text comes from, in one short line. Pure.

The context is embedded and indexed with the text and never becomes part of it. It repeats
nothing that the text itself begins with, so a text that names itself is embedded as it is.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from extraction.headings import SEPARATOR
from graphstore.records import Author, Draft

MAX_TOKENS: Final = 48
"""Tokens of a context."""

MAX_RECIPIENTS: Final = 4
"""Recipients of a message that are named."""

_OPENING: Final = 2_000  # characters of a text in which its own title may stand
_MARKUP: Final = "#*_=->`~[]()|: "

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its document a chunk begins."""

    heading: str = ""
    """The path of headings above it."""
    columns: str = ""
    """What the columns are called of the table whose rows it begins with."""


def heuristic(draft: Draft, place: Place, text: str, count_tokens: CountTokens) -> str:
    """Return the context of a chunk of `draft`, without any model; one line, perhaps empty.

    Sender, recipients and date for mail; then the title, the path of headings and the columns of
    a table. `text` is the chunk's own text, `count_tokens` counts no special tokens.
    """
    opening = _plain(text[:_OPENING])
    envelope = _cut(_envelope(draft), MAX_TOKENS // 2, count_tokens)
    named = _cut(place.columns, MAX_TOKENS // 3, count_tokens)
    names = _unsaid([draft.title, *place.heading.split(SEPARATOR), named], opening)
    title = _cut(names[0], MAX_TOKENS // 2, count_tokens) if names else ""
    # The nearest heading says most: a long path loses its upper part.
    rest = names[1:]
    while len(rest) > 1 and count_tokens(SEPARATOR.join(rest)) > MAX_TOKENS // 2:
        rest = rest[1:]
    line = SEPARATOR.join(part for part in (title, *rest) if part)
    return _cut(": ".join(part for part in (envelope, line) if part), MAX_TOKENS, count_tokens)


def embedded_text(context: str, text: str) -> str:
    """Return what an embedder is given for a chunk."""
    return f"{context}\n{text}" if context else text


def content_sha256(context: str, text: str) -> str:
    """Return the hash that decides whether a chunk keeps its vectors, hex."""
    return hashlib.sha256(f"{context}\0{text}".encode()).hexdigest()


def _envelope(draft: Draft) -> str:
    if draft.mail is None:
        return ""
    recipients = [_name(author) for author in draft.mail.recipients]
    more = len(recipients) - MAX_RECIPIENTS
    named = ", ".join(recipients[:MAX_RECIPIENTS]) + (f" and {more} more" if more > 0 else "")
    people = " to ".join(part for part in (", ".join(map(_name, draft.authors)), named) if part)
    return _line(", ".join(part for part in (people, draft.mtime.date().isoformat()) if part))


def _name(author: Author) -> str:
    return author.name or (author.identity or "").partition(":")[2]


def _unsaid(names: Iterable[str], opening: str) -> list[str]:
    """Return the names, one line each, without repetition and without what `opening` says."""
    kept: dict[str, str] = {}
    for name in names:
        plain = _plain(name)
        # A name without letters, a number or a date, says nothing that a reader could ask for.
        if any(map(str.isalpha, plain)) and not _begins_with(opening, plain):
            kept.setdefault(plain, _line(name))
    return list(kept.values())


def _begins_with(opening: str, name: str) -> bool:
    # At the end of a word: a text about "Planning" does not say the title "Plan".
    return opening == name or (
        opening.startswith(name) and not opening[len(name) : len(name) + 1].isalnum()
    )


def _plain(text: str) -> str:
    """Return `text` as it is compared: one line, casefolded, without leading markup."""
    return _line(text).lstrip(_MARKUP).casefold()


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(line: str, limit: int, count_tokens: CountTokens) -> str:
    """Return the longest beginning of `line` within `limit` tokens, at a word's end if it can."""
    if count_tokens(line) <= limit:
        return line
    fits, over = 0, min(len(line), limit * 16)
    while over - fits > 1:
        middle = (fits + over) // 2
        if count_tokens(line[:middle]) <= limit:
            fits = middle
        else:
            over = middle
    whole_words, _, _ = line[: fits + 1].rpartition(" ")
    return (whole_words or line[:fits]).rstrip()
