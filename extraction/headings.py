"""Headings of a Markdown text, the paths that lead to its places, and where its code is.

Only headings of the document itself count: none in code fences, quotes, lists or front matter.
"""

import bisect
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

SEPARATOR: Final = " › "
"""Between the headings of a path."""

MAX_TITLE: Final = 200
"""Characters of one heading that are kept."""

# `title: x` above a closing `---` would otherwise read as a heading of the second level.
_FRONT_MATTER: Final = re.compile(
    r"\A(---|\+\+\+)[ \t]*\r?\n.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE
)
_LINE_END: Final = re.compile(r"\r\n?|\n")  # as markdown-it counts lines

_Stack: TypeAlias = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings of one text, in order; the two columns have equal length."""

    offsets: tuple[int, ...] = ()
    """Where each heading's line begins."""
    paths: tuple[str, ...] = ()
    """The path that ends with that heading."""
    code: tuple[tuple[int, int], ...] = ()
    """Where blocks of code begin and end, in order."""
    front: int = 0
    """Where front matter ends; 0 = there is none."""

    def path_at(self, offset: int) -> str:
        """Return the path in force at `offset`; a heading that begins there is part of it."""
        index = bisect.bisect_right(self.offsets, offset)
        return self.paths[index - 1] if index else ""

    def code_within(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Return the blocks of code between two offsets, counted from the first."""
        first = bisect.bisect_left(self.code, start, key=lambda block: block[1])
        last = bisect.bisect_left(self.code, end, key=lambda block: block[0])
        return tuple((max(a, start) - start, min(b, end) - start) for a, b in self.code[first:last])


def outline(markdown: str) -> Outline:
    """Return the outline of a Markdown text."""
    front = _FRONT_MATTER.match(markdown)
    first = front.end() if front else 0
    lines = [0, *(match.end() for match in _LINE_END.finditer(markdown))]
    tokens = _block_parser().parse(markdown)
    found = [
        (lines[token.map[0]], int(token.tag[1]), _title(content.content))
        for token, content in pairwise(tokens)
        if token.map and _is_heading(token) and lines[token.map[0]] >= first
    ]
    named = [heading for heading in found if heading[2]]
    start: _Stack = ()
    stacks = list(accumulate(named, _push, initial=start))[1:]
    paths = (SEPARATOR.join(title for _, title in stack) for stack in stacks)
    ends = [*lines[1:], len(markdown)]
    code = [
        (lines[token.map[0]], ends[min(token.map[1], len(ends)) - 1])
        for token in tokens
        if token.map and token.type in _CODE
    ]
    return Outline(tuple(offset for offset, _, _ in named), tuple(paths), tuple(code), first)


def _push(stack: _Stack, heading: tuple[int, int, str]) -> _Stack:
    _, level, title = heading
    return (*(above for above in stack if above[0] < level), (level, title))


def _is_heading(token: Token) -> bool:
    if token.type != "heading_open" or token.level > 0 or token.map is None:
        return False
    # A paragraph of several lines above `---` is a missing blank line, not a title.
    return token.markup.startswith("#") or token.map[1] - token.map[0] == 2


def _title(content: str) -> str:
    children = _inline_parser().parseInline(content[: 4 * MAX_TITLE])[0].children or []
    text = "".join(child.content for child in children if child.type in _READABLE)
    return " ".join(text.split())[:MAX_TITLE].rstrip()


_CODE: Final = {"fence", "code_block"}
_READABLE: Final = {"text", "code_inline", "image"}


@lru_cache(maxsize=1)
def _block_parser() -> MarkdownIt:
    # Inline parsing of a whole text costs most of the time, and only titles need it.
    return MarkdownIt("commonmark").disable("inline")


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")
