"""The extractor without a model: dependency rules over a parse. The same text, the same facts."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extraction.facts import dates
from extraction.facts.base import RULES
from extraction.facts.drafting import SURE, Read, draft
from extraction.facts.grammar import has_finite_verb
from extraction.facts.parsing import LANGUAGES, Parser
from extraction.facts.prose import Block, blocks
from extraction.facts.records import About, FactDraft, Passage
from extraction.facts.referents import Referents
from extraction.facts.salience import Traits, kind_of, salience_of
from extraction.facts.statements import statements
from extraction.facts.wording import bare

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_PLAIN_KEYS: Final = frozenset(
    {*("note", "nb", "todo", "ps", "re", "update", "warning", "for", "against", "question")}
    | {*("example", "hint", "tip", "important", "summary", "result", "idea", "also", "p.s")}
)
_REPLY: Final = re.compile(r"^(?:(?:re|fwd?|aw|wg)\s*:\s*)+", re.I)
_MOST_VALUE_WORDS: Final = 16


class RuleExtractor:
    """Facts by rules. Safe to share between threads."""

    def __init__(self, parser: Parser | None = None) -> None:
        self.name: Final = RULES
        self.languages: Final = LANGUAGES
        self._parser = parser or Parser()

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        """Return what the passage states, in its order."""
        found = [block for block in blocks(passage) if _is_latin(block.text)]
        if not found:
            return ()
        drafts: list[FactDraft] = []
        referents = Referents(about)
        with self._parser.parsed([block.text for block in found]) as docs:
            for block, doc in zip(found, docs, strict=True):
                referents.begin_block()
                drafts.extend(_of_block(passage, block, doc, referents))
        return drafts


def _is_latin(text: str) -> bool:
    """Say whether a text may be English: most of its letters are Latin."""
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c < "\u0250" for c in letters) > len(letters)


def _of_block(
    passage: Passage, block: Block, doc: "Doc", referents: Referents
) -> Iterator[FactDraft]:
    about = referents.about
    if block.key and _is_value(block, doc):
        pair = _pair(passage, block, about)
        if pair is not None:
            yield pair
        return
    for span in doc.sents:
        text = span.text
        if not text.strip():
            continue
        referents.read(span)
        found = tuple(dates.mentions(text))
        read = Read(passage, block, about, span, referents, found, _dated(span, found))
        made = (draft(read, statement) for statement in statements(span, read.dated))
        yield from (each for each in made if each is not None)


def _dated(span: "Span", found: Sequence[dates.Mention]) -> frozenset[int]:
    """Return the tokens of a sentence that are part of a date."""
    first = span.start_char
    return frozenset(
        token.i
        for token in span
        for mention in found
        if mention.start < token.idx - first + len(token) and token.idx - first < mention.end
    )


def _is_value(block: Block, doc: "Doc") -> bool:
    """Say whether what follows a key is its value, and no sentence of its own."""
    if block.key.casefold() in _PLAIN_KEYS or len(doc) > _MOST_VALUE_WORDS:
        return False
    return not has_finite_verb(doc) and not block.text.endswith("?")


def _pair(passage: Passage, block: Block, about: About) -> FactDraft | None:
    subject, value = block.topic or _REPLY.sub("", about.title), bare(block.text)
    key = block.key
    if not subject or not value:
        return None
    traits = Traits(
        subject,
        key,
        value,
        "stated",
        is_copula=True,
        is_past=False,
        is_dated=False,
        is_resolved=True,
        is_ours=False,
        is_authors=False,
    )
    kind = kind_of(traits)
    start, end = _line(passage.text, block)
    return FactDraft(
        text=f"{subject}, {key}: {value}.",
        quote=passage.text[start:end],
        start=start,
        end=end,
        kind=kind,
        salience=salience_of(traits, kind),
        confidence=SURE - 0.1,
        subject=subject,
        predicate=key,
        object=value,
        standing="stated",
        validity=dates.validity((), about.date, "past", ""),
    )


def _line(text: str, block: Block) -> tuple[int, int]:
    """Return where a `Key: value` line lies, its key included."""
    _, end = block.span(0, len(block.text), text)
    key = text.rfind(block.key.split()[0], 0, block.offsets[0])
    return max(key, 0), end
