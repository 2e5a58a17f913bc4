"""LaTeX to Markdown: sections as headings, listings as code. Runs in the parsing process.

A text is taken apart at its sections and listings first: a brace that is missing in one of them
does no harm to the others, and one that cannot be converted is kept as it was written.
"""

import datetime as dt
import re
from collections.abc import Iterator
from functools import cache
from typing import Final, cast

from pylatexenc.latex2text import (
    EnvironmentTextSpec,
    LatexNodes2Text,
    MacroTextSpec,
    SpecialsTextSpec,
    get_default_latex_context_db,
)
from pylatexenc.latexwalker import LatexWalkerError
from pylatexenc.latexwalker import get_default_latex_context_db as get_default_grammar
from pylatexenc.macrospec import LatexContextDb, MacroSpec, MacroStandardArgsParser

from extraction.names import one_line
from extraction.readers.decoding import decode
from extraction.readers.limits import gathered
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_LEVELS: Final = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
}
_LISTINGS: Final = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "comment")
_MARK: Final = re.compile(
    rf"\\(?:(?P<level>{'|'.join(_LEVELS)})\*?[ \t]{{0,9}}(?:\[[^\]\n]{{0,300}}\])?\{{"
    rf"|begin\{{(?P<listing>{'|'.join(map(re.escape, _LISTINGS))})\}})"
)
_CITATIONS: Final = ("cite", "citep", "citet", "autocite", "parencite", "textcite")
_MAX_ARGUMENT: Final = 2_000
_MAX_CONVERTED: Final = 1_000_000
"""Characters of a text that is converted, at some 20 s each million; a longer one stays TeX."""
_MAX_PIECE: Final = 50_000
"""Characters that are converted at once: a larger piece is cut at a blank line."""
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_DATES: Final = ("%B %d, %Y", "%d %B %Y", "%B %Y")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n\s*")


def parse(raw: Raw) -> Parsed:
    """Return the text of a document or a part of one, with what its preamble tells."""
    text = decode(raw.data)
    preamble, begin, body = text.partition("\\begin{document}")
    if not begin:
        preamble, body = "", text
    body = body.partition("\\end{document}")[0]
    # Articles of some publishers state title and authors after the beginning.
    front = preamble + body[:_MAX_PIECE]
    parts = _blocks(body) if len(body) <= _MAX_CONVERTED else [body.strip()]
    blocks = gathered(parts, raw.max_characters)
    headings = (one_line(block.lstrip("# ")) for block in blocks if block.startswith("#"))
    return Parsed(
        "\n\n".join(blocks),
        "markdown",
        title=one_line(_stated(front, "title")) or next(headings, ""),
        authors=people(_stated(front, "author")),
        modified_at=_date(_stated(front, "date")),
    )


def _blocks(body: str) -> Iterator[str]:
    place = 0
    while mark := _MARK.search(body, place):
        if _is_comment(body, mark.start()):
            yield from _prose(body[place : mark.start()])
            end = body.find("\n", mark.end())
            place = end if end >= 0 else len(body)
            continue
        yield from _prose(body[place : mark.start()])
        if name := mark["listing"]:
            end = body.find(f"\\end{{{name}}}", mark.end())
            end = len(body) if end < 0 else end
            if name != "comment":
                yield _fenced(body[mark.end() : end])
            place = end + len(name) + 6
        else:
            title, place = _argument(body, mark.end())
            yield f"{'#' * _LEVELS[mark['level']]} {one_line(_words(title))}"
    yield from _prose(body[place:])


def _is_comment(body: str, place: int) -> bool:
    line = body[max(body.rfind("\n", 0, place), place - _MAX_ARGUMENT) : place]
    return "%" in line.replace("\\%", "")


def _prose(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + _MAX_PIECE
        if end < len(text):
            blank = text.rfind("\n\n", start + 1, end)
            end = blank if blank > 0 else end
        yield _BLANK_LINES.sub("\n\n", _words(text[start:end])).strip()
        start = end


def _words(text: str) -> str:
    try:
        words = cast("str", _converter().latex_to_text(text, latex_context=_grammar()))
        return words.replace("\xa0", " ")
    except (LatexWalkerError, RecursionError, ValueError, TypeError, AttributeError, IndexError):
        return text  # the library raises all of these for what it cannot parse


def _fenced(code: str) -> str:
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{code.strip(chr(10))}\n{fence}"


def _argument(text: str, start: int) -> tuple[str, int]:
    """Return what stands between a brace, which ends at `start`, and its match; and its end."""
    depth = 1
    for sign in _BRACE.finditer(text, start, start + _MAX_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0:
            return text[start : sign.start()], sign.end()
    return "", start


def _stated(text: str, name: str) -> str:
    found = re.search(rf"\\{name}[ \t]{{0,9}}(?:\[[^\]\n]{{0,300}}\])?\{{", text)
    if found is None:
        return ""
    stated, _ = _argument(text, found.end())
    # What follows a line break is an address, or a second line of the title.
    parts = re.split(r"\\and(?![a-z])|\\AND|\\And", stated)
    if name == "author":
        parts = [re.split(r"\\\\", part)[0] for part in parts]
    return "; ".join(one_line(_words(part)) for part in parts)


def _date(stated: str) -> dt.datetime | None:
    for form in ("%Y-%m-%d", *_DATES):
        try:
            return dt.datetime.strptime(stated, form).replace(tzinfo=dt.UTC)
        except ValueError:
            continue
    return None


@cache
def _converter() -> LatexNodes2Text:
    # No folder for \input is set: nothing but the text itself is ever read.
    context = get_default_latex_context_db()
    context.add_context_category(
        "garage",
        prepend=True,
        macros=[
            *(MacroTextSpec(name, discard=True) for name in ("maketitle", "thanks", "label")),
            *(MacroTextSpec(name, discard=True) for name in ("title", "author", "date")),
            *(MacroTextSpec(name, simplify_repl="[%(4)s]") for name in _CITATIONS),
        ],
        environments=[EnvironmentTextSpec("tabular", simplify_repl="\n%s\n")],
        specials=[SpecialsTextSpec("&", " | ")],
    )
    return LatexNodes2Text(latex_context=context, math_mode="verbatim")


@cache
def _grammar() -> LatexContextDb:
    grammar = get_default_grammar()
    # Without it the argument of a macro that is not known would be text.
    macros = [_macro("thanks", "{"), *(_macro(name, "*[[{") for name in _CITATIONS)]
    grammar.add_context_category("garage", prepend=True, macros=macros)
    return grammar


def _macro(name: str, arguments: str) -> MacroSpec:
    return MacroSpec(name, MacroStandardArgsParser(arguments))
