"""From a document's chunks to its facts: the door of this package."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from extraction.facts.base import Extractor
from extraction.facts.filtering import Profile, filtered
from extraction.facts.records import About, Distillation, Passage
from extraction.headings import outline
from extraction.language import PROGRAMMING, UNSURE
from graphstore.records import Form


def passages_of(chunks: Sequence[tuple[str, str]], form: Form) -> tuple[Passage, ...]:
    """Return the passages of a document from its chunks, each a text and its path of headings.

    Where a Markdown text has code or front matter is known only of the whole text.
    """
    text = "".join(chunk for chunk, _ in chunks)
    whole = outline(text) if form == "markdown" else None
    ends = list(accumulate(len(chunk) for chunk, _ in chunks))
    passages: list[Passage] = []
    for (chunk, heading), end in zip(chunks, ends, strict=True):
        start = end - len(chunk)
        code = whole.code_within(start, end) if whole else ()
        if whole and start < whole.front:
            code = ((0, min(whole.front, end) - start), *code)
        passages.append(Passage(chunk, heading, code))
    return tuple(passages)


def distil(
    passages: Sequence[Passage], about: About, extractor: Extractor, profile: Profile | None = None
) -> Distillation:
    """Return what is kept of a document's facts, or why it was skipped.

    Raises:
        Unavailable: the extractor cannot work now.
    """
    if reason := _unreadable(about.language, extractor.languages):
        return Distillation((), skipped=reason)
    drafts = [
        replace(draft, passage=number)
        for number, passage in enumerate(passages)
        for draft in extractor.facts(passage, about)
    ]
    return filtered(drafts, passages, about.title, profile or Profile())


def _unreadable(language: str, read: frozenset[str]) -> str:
    """Return why a document is skipped, or nothing. Text too short to tell is tried."""
    if language in read or language in {UNSURE, ""}:
        return ""
    if language in PROGRAMMING:
        return f"Facts are not read from code ({language})."
    known = ", ".join(sorted(read))
    return f"Facts are read from {known} only, and this is {language}."
