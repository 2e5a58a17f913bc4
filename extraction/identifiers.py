"""Identifiers of code as words, for full text: `getUserName` is found by "user name". Pure.

Lucene's `english` analyzer keeps `getUserName`, `user_name` and `user.name` as one term each.
The words inside are added beside the text, which itself stays as it is.
"""

import bisect
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from graphstore.records import Form

MAX_WORDS: Final = 200
"""Words of one chunk that are added."""

MAX_IDENTIFIER: Final = 80
"""Characters of an identifier; longer runs are data, not names."""

_TOKEN: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_SPAN: Final = re.compile(r"`[^`\n]{1,200}`")
_PART: Final = re.compile(r"[^\W_]+")
# In prose only these make a name: an inner underscore, or a capital after a small letter.
# "sha256", "example.org" and "PDFs" are words there.
_UNDERSCORE: Final = re.compile(r"[^\W_]_+[^\W_]")


def split(text: str, form: Form, code: Sequence[tuple[int, int]] = ()) -> str:
    """Return the words inside the identifiers of `text`, in order, each once, lower case.

    `code` are the blocks of code in a text of another form; between backticks is code as well.
    Words that stand alone in the text as well are left out: the analyzer finds them anyway.
    """
    found = [token for token in _TOKEN.finditer(text) if len(token[0]) <= MAX_IDENTIFIER]
    parts = {token: tuple(_words(token)) for token in dict.fromkeys(each[0] for each in found)}
    alone = {token.lower() for token, words in parts.items() if len(words) == 1}
    blocks = [(0, len(text))] if form == "code" else _code(text, code)
    names = dict.fromkeys(
        token[0]
        for token in found
        if len(parts[token[0]]) > 1 and (_is_within(token.start(), blocks) or _is_name(token[0]))
    )
    words = dict.fromkeys(word for name in names for word in parts[name])
    return " ".join([word for word in words if word not in alone][:MAX_WORDS])


def _code(text: str, blocks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    # Adjacent and overlapping ones are harmless: what matters is the last that begins before.
    return sorted([*blocks, *(span.span() for span in _SPAN.finditer(text))])


def _is_within(place: int, blocks: Sequence[tuple[int, int]]) -> bool:
    index = bisect.bisect_right(blocks, place, key=lambda block: block[0])
    return any(place < end for _, end in blocks[max(index - 2, 0) : index])


def _is_name(token: str) -> bool:
    if _UNDERSCORE.search(token):
        return True
    return any(_is_inner_capital(a, b) for part in _PART.findall(token) for a, b in pairwise(part))


def _is_inner_capital(before: str, after: str) -> bool:
    return before.islower() and after.isupper()


def _words(token: str) -> Iterator[str]:
    for part in _PART.findall(token):
        start = 0
        for end in range(1, len(part)):
            if _is_boundary(part, end):
                yield part[start:end].lower()
                start = end
        yield part[start:].lower()


def _is_boundary(part: str, at: int) -> bool:
    before, after = part[at - 1], part[at]
    if before.isdigit() or after.isdigit():
        return before.isdigit() != after.isdigit()
    if before.isupper() and after.isupper():
        following = part[at + 1 : at + 3]
        # HTTPServer is "http server", but URLs is one word: its small letter is a plural.
        is_plural = following[:1] == "s" and not following[1:].islower()
        return following[:1].islower() and not is_plural
    return _is_inner_capital(before, after)
