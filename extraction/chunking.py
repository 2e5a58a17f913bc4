"""Chunking: a draft's text cut into pieces that an embedder can read whole. Pure.

The chunks partition the text: joined in order they are the text, character for character. None
is blank, and context and text together fit the window of the smallest active model.
"""

import bisect
import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol, cast

from semantic_text_splitter import CodeSplitter, MarkdownSplitter, TextSplitter

from extraction import columns, context, headings, identifiers
from extraction.wrapping import unwrapped
from graphstore.errors import InvalidInput, TooLarge
from graphstore.records import ChunkDraft, Draft, Form

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How large chunks are, and how many a document may have. Sizes in tokens."""

    window: int = 512
    """Tokens that the smallest active model reads, special tokens included."""
    full: int = 200
    """A chunk of this size is not filled further."""
    most: int = 300
    """No chunk is larger, and smaller ones are cut where the window is short."""
    max_chunks_per_document: int = 20_000
    """Chunks of one document; beyond it the document is refused."""


RESERVED: Final = 8
"""Tokens of the window kept for a model's special tokens and its passage prefix."""

CHARACTERS_PER_TOKEN: Final = 8
"""A token counts for at least this many characters: a tokenizer may take 5,000 as one unknown."""

SCRAP: Final = 32
"""A piece of fewer tokens joins a neighbour where both fit into one chunk."""

SECTION: Final[dict[Form, int]] = {"markdown": 16_000, "text": 16_000, "code": 64_000}
"""Characters given to a splitter at once: its time grows with the square of the length."""

GRAMMARS: Final[dict[str, tuple[str, str]]] = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
"""`Draft.language` of code that is cut by definition, and where its grammar is. Others: by line."""


class _Splitter(Protocol):
    def chunks(self, text: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Measure:
    """The size of a text in tokens; by its length alone where that is too much already."""

    count_tokens: CountTokens
    full: int
    most: int

    def size(self, text: str) -> int:
        by_length = -(-len(text) // CHARACTERS_PER_TOKEN)
        # Too long by its length alone: what a tokenizer says no longer matters, and it is slow.
        return by_length if by_length > self.most else self.count_tokens(text)

    def fits(self, text: str) -> bool:
        return self.size(text) <= self.most


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    size: int
    is_blank: bool


def split(draft: Draft, limits: ChunkLimits, count_tokens: CountTokens) -> tuple[ChunkDraft, ...]:
    """Return the chunks of `draft`, in order; none for a blank text.

    `count_tokens` counts without special tokens, by the tokenizer of the smallest active model.

    Raises:
        TooLarge: the document has more chunks than `limits` allow.
        InvalidInput: the text is not valid Unicode, or the window has no room for text.
    """
    text = draft.text
    if not text or text.isspace():
        return ()
    _require_unicode(draft)
    measure = _measure(limits, count_tokens)
    least = len("".join(text.split())) // (measure.most * CHARACTERS_PER_TOKEN)
    _require_few(draft, least, limits)
    outline = headings.outline(text) if draft.form == "markdown" else headings.Outline()
    spans = _joined(text, _led_in(draft, outline, measure), measure)
    _require_few(draft, len(spans), limits)
    tables = columns.tables(text) if draft.form == "markdown" else columns.Tables()
    return tuple(
        _chunk(_Piece(draft, ordinal, span), outline, tables, count_tokens)
        for ordinal, span in enumerate(spans)
    )


def _measure(limits: ChunkLimits, count_tokens: CountTokens) -> _Measure:
    room = limits.window - RESERVED - context.MAX_TOKENS
    if room < SCRAP:
        raise InvalidInput(
            f"A model that reads {limits.window} tokens has no room for a chunk and its context.",
            hint=f"Use models that read at least {RESERVED + context.MAX_TOKENS + SCRAP} tokens.",
        )
    most = min(limits.most, room)
    return _Measure(count_tokens, min(limits.full, most * 2 // 3), most)


def _require_unicode(draft: Draft) -> None:
    try:
        draft.text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{draft.uri} holds half a character (a lone surrogate) at {error.start}.",
            hint="Save the file as UTF-8 and ingest it again.",
        ) from None


def _require_few(draft: Draft, chunks: int, limits: ChunkLimits) -> None:
    if chunks > limits.max_chunks_per_document:
        raise TooLarge(
            f"{draft.uri} gives {chunks:,} chunks or more; more than "
            f"{limits.max_chunks_per_document:,} are not stored.",
            hint="Split the file, or raise ingest.max_chunks_per_document.",
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    draft: Draft
    ordinal: int
    span: _Span


def _chunk(
    piece: _Piece, outline: headings.Outline, tables: columns.Tables, count_tokens: CountTokens
) -> ChunkDraft:
    draft, span = piece.draft, piece.span
    text = draft.text[span.start : span.end]
    begin = span.end - len(text.lstrip())
    if begin < outline.front < span.end:  # it is about what follows its front matter
        begin = span.end - len(draft.text[outline.front : span.end].lstrip())
    heading = outline.path_at(begin)
    place = context.Place(heading, tables.header_at(begin))
    about = context.heuristic(draft, place, text, count_tokens)
    return ChunkDraft(
        ordinal=piece.ordinal,
        start=span.start,
        end=span.end,
        text=text,
        context=about,
        heading=heading,
        identifiers=" ".join((*_names(draft, text, outline, span), *draft.labels)),
        tokens=count_tokens(text),
        content_sha256=context.content_sha256(about, text),
    )


def _names(draft: Draft, text: str, outline: headings.Outline, span: _Span) -> Iterator[str]:
    code = outline.code_within(span.start, span.end)
    if found := identifiers.split(text, draft.form, code):
        yield found


def _led_in(draft: Draft, outline: headings.Outline, measure: _Measure) -> list[_Span]:
    """Return the spans of a text; front matter leads in what follows it, as alone it says little.

    What follows is cut shorter then, so that the two fit into one chunk. Front matter of more
    than half a chunk stays alone.
    """
    spans = list(_spans(draft, outline, measure))
    text, front = draft.text, outline.front
    within = sum(span.end <= front or text[front : span.end].isspace() for span in spans)
    if not 0 < within < len(spans) or spans[within].start < front:
        return spans
    end = spans[within].start
    lead = _Span(0, end, measure.size(text[:end]), is_blank=False)
    if lead.size > measure.most // 2:
        return spans
    shorter = replace(measure, full=measure.full - lead.size, most=measure.most - lead.size)
    body = replace(draft, text=text[end : spans[within].end])
    pieces = list(_spans(body, headings.Outline(), shorter))
    moved = [replace(each, start=each.start + end, end=each.end + end) for each in pieces]
    both = _both(text, lead, moved[0], measure)
    return [both, *moved[1:], *spans[within + 1 :]] if both else spans


def _spans(draft: Draft, outline: headings.Outline, measure: _Measure) -> Iterator[_Span]:
    splitter = _splitter(draft, measure)
    if draft.form == "text":
        draft = replace(draft, text=unwrapped(draft.text))  # of equal length: offsets stay
    start = 0
    for section in _sections(draft, outline):
        pieces = [section] if measure.fits(section) else splitter.chunks(section)
        for piece in pieces:
            yield _Span(start, start + len(piece), measure.size(piece), piece.isspace())
            start += len(piece)


def _splitter(draft: Draft, measure: _Measure) -> _Splitter:
    capacity = (measure.full, measure.most)
    language = "tsx" if draft.path.endswith(".tsx") else draft.language
    if draft.form == "code" and language in GRAMMARS:
        module, function = GRAMMARS[language]
        grammar = cast(Callable[[], object], getattr(importlib.import_module(module), function))
        return CodeSplitter.from_callback(grammar(), measure.size, capacity, trim=False)
    kind = MarkdownSplitter if draft.form == "markdown" else TextSplitter
    return kind.from_callback(measure.size, capacity, trim=False)


def _sections(draft: Draft, outline: headings.Outline) -> Iterator[str]:
    """Cut a long text at its best places, so that each section is at most `SECTION` long."""
    text, most = draft.text, SECTION[draft.form]
    start = 0
    while len(text) - start > most:
        end = _section_end(text, start + most // 2, start + most, outline)
        yield text[start:end]
        start = end
    yield text[start:]


def _section_end(text: str, low: int, high: int, outline: headings.Outline) -> int:
    heading = bisect.bisect_right(outline.offsets, high) - 1
    if heading >= 0 and outline.offsets[heading] > low:
        return outline.offsets[heading]
    for mark in ("\n\n", "\n", "。", ". ", " "):
        at = text.rfind(mark, low, high)
        if at >= 0:
            return at + len(mark)
    return high


def _joined(text: str, spans: Iterable[_Span], measure: _Measure) -> list[_Span]:
    """Join blank spans to a neighbour, and scraps where the two fit into one chunk."""
    joined: list[_Span] = []
    for span in spans:
        # Forward: a heading that stands alone goes with what follows it.
        both = _both(text, joined[-1], span, measure) if joined else None
        if both and (both.is_blank or _is_scrap(joined[-1]) or span.is_blank):
            joined[-1] = both
        else:
            joined.append(span)
    if len(joined) > 1 and _is_scrap(joined[-1]):
        both = _both(text, joined[-2], joined[-1], measure)
        joined = [*joined[:-2], both] if both else joined
    return joined


def _is_scrap(span: _Span) -> bool:
    return span.is_blank or span.size < SCRAP


def _both(text: str, first: _Span, second: _Span, measure: _Measure) -> _Span | None:
    """Return the two as one span; None where that is too large for a chunk."""
    is_blank = first.is_blank and second.is_blank
    if first.is_blank or second.is_blank:
        # White space costs an embedder nothing, so it never makes a chunk too large.
        return _Span(first.start, second.end, max(first.size, second.size), is_blank)
    size = measure.size(text[first.start : second.end])
    return _Span(first.start, second.end, size, is_blank) if size <= measure.most else None
