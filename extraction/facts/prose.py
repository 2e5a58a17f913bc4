"""Prose of a passage: sentences as they were meant, each character with its place in the text.

Code, quoted replies, tables, headings, headers and signatures of mail are left out. Markup is
taken away, and where it stood is remembered, so that every span leads back to the text itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extraction.facts.records import Passage
from extraction.headings import SEPARATOR

MAX_BLOCK_CHARACTERS: Final = 4_000
"""A longer block is cut: what is parsed at once bounds the memory."""

_LINE: Final = re.compile(r"[^\n]*\n?")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET: Final = re.compile(r"\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_PAIR: Final = re.compile(r"\s*[*_]{0,3}([^\W\d_][\w /&'’-]{0,40}?)[*_]{0,3}:[*_]{0,3}[ \t]+(?=\S)")
_NO_PROSE: Final = re.compile(
    r"\s*(?:>|\||<[/!a-zA-Z]|[-=*_~\s]{3,}$|\.\.\s"  # quotes, tables, HTML, rulers
    r"|\S.*\S(?:\t| {3,})\S.*(?:\t| {3,})\S)"  # columns
)
_WROTE: Final = re.compile(r"\s*(?:On\b.{0,200}\bwrote:|-{2,}\s*(?:Original|Forwarded)\b.*)\s*$")
_HEADER: Final = re.compile(r"\s*\**(?:From|Sent|To|Cc|Bcc|Subject|Date|Reply-To)\**:", re.I)
_SIGNATURE: Final = re.compile(r"-- ?$")
_CLOSING: Final = re.compile(
    r"\s*(?:(?:best|kind|warm|many)\s+(?:regards|wishes|thanks)|best|regards|cheers|sincerely|"
    r"yours(?:\s+\w+)?|love|greetings|thanks|thank you|see you)\s*[,.!]?\s*$",
    re.I,
)
_TOPIC: Final = re.compile(
    r"(?!(?:what|who|how|why|where|when|which|for|to|on|in|not|todo)\b)[^:?!]{1,80}", re.I
)
_MARKUP: Final = re.compile(
    r"!\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)"  # a picture
    r"|\[(?=[^\]\n]{1,300}\]\([^)\n]{0,600}\))|(?<=[^\s\[])\]\([^)\n]{0,600}\)"  # about a link
    r"|\*\*|`+|(?<!\w)[*_]+(?=\w)|(?<=[\w.,;:!?)’'\"])[*_]+(?!\w)|</?[a-zA-Z][^>\n]{0,200}>"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item or `Key: value` line, without its markup."""

    text: str
    offsets: tuple[int, ...]
    """Of each character of `text`, in the passage."""
    start: int
    """Where the block begins in the passage, after its list mark and key."""
    end: int
    heading: str
    key: str = ""
    """The key of a `Key: value` line; `text` is the value."""

    @property
    def topic(self) -> str:
        """The heading, where it names something: `What it does` names nothing."""
        return self.heading if _TOPIC.fullmatch(self.heading) else ""

    def span(self, start: int, end: int, passage: str) -> tuple[int, int]:
        """Return where `text[start:end]` lies in the passage, markup around it included."""
        first = self.offsets[start - 1] + 1 if start else self.start
        last = self.offsets[end] if end < len(self.offsets) else self.end
        quote = passage[first:last]
        return first + len(quote) - len(quote.lstrip()), first + len(quote.rstrip())


@dataclass(slots=True)
class _State:
    """What the lines before mean for the next one."""

    heading: str
    fence: str = ""
    is_over: bool = False
    """A signature or a closing began; it lasts until the next paragraph."""
    is_signed: bool = False
    headers: int = 0


def blocks(passage: Passage) -> Iterator[Block]:
    """Yield the prose of a passage, in order."""
    state = _State(passage.heading.rpartition(SEPARATOR)[2])
    begin = end = -1
    opened = state.heading
    for match in _LINE.finditer(passage.text):
        line, start = match[0].rstrip("\r\n"), match.start()
        kind = "" if _in_code(passage, start) else _kind(line, state)
        if begin >= 0 and kind != "more":
            yield from _made(passage.text, begin, end, opened)
            begin = -1
        if kind == "":
            continue
        if begin < 0:
            begin, opened = start, state.heading
        end = start + len(line)
    if begin >= 0:
        yield from _made(passage.text, begin, end, opened)


def _in_code(passage: Passage, offset: int) -> bool:
    return any(start <= offset < end for start, end in passage.code)


def _kind(line: str, state: _State) -> str:
    """Return `new` for a line that begins a block, `more` for one that goes on, else nothing."""
    if fence := _FENCE.match(line):
        if not state.fence:
            state.fence = fence[1]
        elif fence[1].startswith(state.fence):
            state.fence = ""
        return ""
    if state.fence or _is_envelope(line, state) or _NO_PROSE.match(line):
        return ""
    if heading := _HEADING.match(line):
        state.heading = re.sub(r"[*_`]", "", heading[1])
        return ""
    return "new" if _BULLET.match(line) or _PAIR.match(line) else "more"


def _is_envelope(line: str, state: _State) -> bool:
    """Say whether a line is blank, or of a mail's headers, closing or signature."""
    if not line.strip():
        state.is_over, state.headers = False, 0
        return True
    if _SIGNATURE.match(line):
        state.is_signed = True
    state.headers = state.headers + 1 if _HEADER.match(line) else 0
    if _CLOSING.match(line):
        state.is_over = True
    is_header = state.headers > 0 and bool(_HEADER.match(line))
    return state.is_signed or state.is_over or is_header or bool(_WROTE.match(line))


def _made(text: str, begin: int, end: int, heading: str) -> Iterator[Block]:
    bullet = _BULLET.match(text, begin, end)
    begin = bullet.end() if bullet else begin
    pair = _PAIR.match(text, begin, end)
    key = " ".join(pair[1].split()) if pair and len(pair[1].split()) <= 4 else ""
    begin = pair.end() if pair and key else begin
    characters, offsets = _cleaned(text, begin, end)
    for first in range(0, len(characters), MAX_BLOCK_CHARACTERS):
        last = min(first + MAX_BLOCK_CHARACTERS, len(characters))
        piece = offsets[first:last]
        start = piece[0] if first else begin
        stop = offsets[last] if last < len(offsets) else end
        yield Block(characters[first:last], piece, start, stop, heading, key)


def _cleaned(text: str, begin: int, end: int) -> tuple[str, tuple[int, ...]]:
    """Return a stretch without markup, its white space as single blanks, and each one's place."""
    characters: list[str] = []
    offsets: list[int] = []
    at = begin
    for markup in _MARKUP.finditer(text, begin, end):
        _copy(text, at, markup.start(), characters, offsets)
        at = markup.end()
    _copy(text, at, end, characters, offsets)
    while characters and characters[-1] == " ":
        characters.pop()
        offsets.pop()
    return "".join(characters), tuple(offsets)


def _copy(text: str, start: int, end: int, characters: list[str], offsets: list[int]) -> None:
    for offset in range(start, end):
        c = text[offset]
        if c.isspace():
            if not characters or characters[-1] == " ":
                continue
            c = " "
        elif "\ud800" <= c <= "\udfff":
            c = "\ufffd"  # half a character, which no parser takes
        characters.append(c)
        offsets.append(offset)
