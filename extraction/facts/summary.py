"""Extractive summary: one to three of a document's own sentences. No model, any language.

A sentence is worth the words that it shares with the rest and with the title; earlier ones win.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.facts.prose import blocks
from extraction.facts.records import Passage, SummaryDraft

_WORD: Final = re.compile(r"[^\W_]{3,}")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Mrs?|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|etc|approx)|\b\w)\.\s*$"
)
_SHORTEST: Final = 30
_LONGEST: Final = 400
_MANY: Final = 400
"""Sentences of a document that are looked at."""
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOP_WORDS: Final = frozenset(
    {*("the", "and", "for", "are", "was", "were", "with", "that", "this", "from", "has", "have")}
    | {*("had", "not", "but", "his", "her", "its", "our", "they", "you", "will", "would", "can")}
    | {*("which", "who", "all", "one", "there", "their", "she", "than", "then", "been", "also")}
    | {*("about", "into", "when", "what", "your", "more", "out", "may", "any", "only", "some")}
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    passage: int
    start: int
    end: int
    text: str
    words: frozenset[str]


def summarise(passages: Sequence[Passage], title: str) -> SummaryDraft | None:
    """Return the summary of a document; None when it has no sentence worth it."""
    found = list(_candidates(passages))
    if not found:
        return None
    counts = Counter(word for each in found for word in each.words)
    titled = _words(title)
    count = 1 if len(found) < 4 else 2 if len(found) < 12 else 3
    chosen: list[_Candidate] = []
    left = list(enumerate(found))
    while left and len(chosen) < count:
        said = frozenset(word for each in chosen for word in each.words)
        best = max(left, key=lambda pair: (_worth(*pair, counts, titled, said), -pair[0]))
        left.remove(best)
        chosen.append(best[1])
    chosen.sort(key=lambda each: (each.passage, each.start))
    spans = tuple((each.passage, each.start, each.end) for each in chosen)
    return SummaryDraft(" ".join(each.text for each in chosen), spans)


def _worth(
    index: int,
    each: _Candidate,
    counts: Counter[str],
    titled: frozenset[str],
    said: frozenset[str],
) -> float:
    fresh = each.words - said
    shared = sum(counts[word] - 1 for word in fresh)
    in_title = len(fresh & titled)
    # Divided by the root of its length: else the longest sentence always wins.
    return (shared + 2 * in_title + 1) / (4 + len(each.words)) ** 0.5 + 2 / (1 + index)


def _candidates(passages: Sequence[Passage]) -> Iterator[_Candidate]:
    seen = 0
    for number, passage in enumerate(passages):
        for block in blocks(passage):
            if block.key:
                continue
            for first, last in _sentences(block.text):
                start, end = block.span(first, last, passage.text)
                text = " ".join(passage.text[start:end].split())
                length = len(text) * (3 if _CJK.search(text) else 1)
                is_fit = _SHORTEST <= length <= _LONGEST and not text.endswith("?")
                if is_fit and seen < _MANY:
                    seen += 1
                    yield _Candidate(number, start, end, text, _words(text))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end, by their marks alone."""
    begin = 0
    for match in re.finditer(r"[.!?]+[\"'”’)]*\s+|[。！？]+", text):
        if _ABBREVIATION.search(text, begin, match.end()):
            continue
        yield begin, len(text[: match.end()].rstrip())
        begin = match.end()
    if begin < len(text):
        yield begin, len(text)


def _words(text: str) -> frozenset[str]:
    folded = text.casefold()
    pairs = {folded[i : i + 2] for i in range(len(folded) - 1) if _CJK.match(folded[i])}
    return frozenset({*_WORD.findall(folded)} - _STOP_WORDS | pairs)
