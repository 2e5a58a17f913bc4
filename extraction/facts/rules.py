"""The extractor without a model: dependency rules over a parse. The same text, the same facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from extraction.facts import dates
from extraction.facts.frames import Statement, undated
from extraction.facts.grammar import auxiliaries, has_finite_verb, is_verb
from extraction.facts.parsing import PACKAGE, VERSION, Parser
from extraction.facts.prose import Block, blocks
from extraction.facts.records import About, FactDraft, Passage, Validity
from extraction.facts.referents import Referents
from extraction.facts.salience import Traits, kind_of, salience_of
from extraction.facts.statements import statements
from extraction.facts.wording import bare, sentence, singular, worded

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

REVISION: Final = 1
"""Of the rules: it changes with what they find."""

_SURE: Final = 0.9
_PLAIN_KEYS: Final = frozenset(
    {*("note", "nb", "todo", "ps", "re", "update", "warning", "for", "against", "question")}
    | {*("example", "hint", "tip", "important", "summary", "result", "idea", "also", "p.s")}
)
_MOST_VALUE_WORDS: Final = 16


@dataclass(frozen=True, slots=True)
class _Read:
    """One sentence that is being read."""

    passage: Passage
    block: Block
    about: About
    span: "Span"
    referents: Referents
    dates: tuple[dates.Mention, ...]
    dated: frozenset[int]
    """Its tokens that are part of a date."""


class RuleExtractor:
    """Facts by rules. Safe to share between threads."""

    def __init__(self, parser: Parser | None = None) -> None:
        self.name: Final = f"rules-{REVISION} {PACKAGE}-{VERSION}"
        self.languages: Final = frozenset({"en"})
        self._parser = parser or Parser()

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        """Return what the passage states, in its order."""
        found = [block for block in blocks(passage) if any(map(str.isalpha, block.text))]
        if not found:
            return ()
        drafts: list[FactDraft] = []
        referents = Referents(about)
        with self._parser.parsed([block.text for block in found]) as docs:
            for block, doc in zip(found, docs, strict=True):
                referents.begin_block()
                drafts.extend(_of_block(passage, block, doc, referents))
        return drafts


def _of_block(
    passage: Passage, block: Block, doc: "Doc", referents: Referents
) -> Iterator[FactDraft]:
    about = referents.about
    if block.key and _is_value(block, doc):
        draft = _pair(passage, block, about)
        if draft is not None:
            yield draft
        return
    for span in doc.sents:
        text = span.text
        if not text.strip():
            continue
        referents.read(span)
        found = tuple(dates.mentions(text))
        read = _Read(passage, block, about, span, referents, found, _dated(span, found))
        for statement in statements(span, read.dated):
            draft = _draft(read, statement)
            if draft is not None:
                yield draft


def _dated(span: "Span", found: Sequence[dates.Mention]) -> frozenset[int]:
    """Return the tokens of a sentence that are part of a date."""
    first = span.start_char
    return frozenset(
        token.i
        for token in span
        for mention in found
        if mention.start < token.idx - first + len(token) and token.idx - first < mention.end
    )


def _draft(read: _Read, made: Statement) -> FactDraft | None:
    names = read.referents.names
    if made.is_one_of_many and not _is_plural(made):
        names = {**names, **singular(made.words, made.verb)}
    subject = _subject(read, made)
    if not subject:
        return None
    object_ = bare(worded(undated(made.object, read.dated), names))
    opening = worded(made.opening, names) or subject
    rest = worded(made.words, names)
    if not made.opening:
        rest = f"{rest[:1].lower()}{rest[1:]}"  # the sentence began with its verb
    text = sentence(opening, f"{_is(made)}{rest}")
    used = {*made.object, *made.subject_words}
    is_resolved = not any(token.i in read.referents.unresolved for token in used)
    validity = _validity(read, made)
    traits = Traits(
        subject,
        made.predicate,
        object_,
        made.standing,
        made.shape != "verb" and made.predicate in {"be", "become", "remain"},
        _leaning(made) == "past",
        validity.granularity != "document",
        is_resolved,
        subject in read.about.authors[:1],
    )
    kind = kind_of(traits)
    start, end = read.block.span(
        read.span.start_char, read.span.start_char + len(read.span.text.rstrip()), read.passage.text
    )
    return FactDraft(
        text=text,
        quote=read.passage.text[start:end],
        start=start,
        end=end,
        kind=kind,
        salience=salience_of(traits, kind),
        confidence=_confidence(read, made, is_resolved=is_resolved),
        subject=subject,
        predicate=made.predicate,
        object=object_,
        standing=made.standing,
        validity=validity,
        is_past=made.shape != "apposition" and _is_past(made.verb),
        is_resolved=is_resolved,
    )


def _subject(read: _Read, made: Statement) -> str:
    """Return whom a statement is about; what notes leave out is the author or the heading."""
    if made.subject is not None:
        return bare(worded(made.subject_words, read.referents.names))
    if made.verb.tag_ != "VBZ":
        return read.about.authors[0] if len(read.about.authors) == 1 else ""
    return read.block.heading or read.about.title


def _is_plural(made: Statement) -> bool:
    subject = made.subject
    return subject is not None and (
        subject.tag_ in {"NNS", "NNPS"} or subject.lower_ in {"they", "we", "people"}
    )


def _is(made: Statement) -> str:
    """Return the verb that an apposition or a participle lacks: `a contract signed by Ada`."""
    plural = any(t.tag_ in {"NNS", "NNPS"} for t in made.opening[-1:])
    if made.shape == "apposition":
        return "are " if plural else "is "
    if made.verb.dep_ == "acl" and made.verb.tag_ == "VBN":
        return "were " if plural else "was "
    return ""


def _validity(read: _Read, made: Statement) -> Validity:
    """Return when it holds; a date that is the object itself says nothing of that."""
    first = read.span.start_char
    itself = undated(made.object, read.dated)
    taken = [(t.idx - first, t.idx - first + len(t)) for t in itself]
    is_move = made.predicate.endswith(" to") and any(t.i in read.dated for t in itself)
    near = {t.i for t in made.words}
    own = [
        mention
        for mention in read.dates
        if not (is_move and mention.relation == "from")
        and not any(mention.start < end and start < mention.end for start, end in taken)
        and any(t.i in near for t in read.span if mention.start <= t.idx - first < mention.end)
    ]
    leaning = _leaning(made)
    found = dates.validity(own, read.about.date, leaning, read.span.text)
    begins = found.valid_from
    if leaning == "past" or begins is None or begins >= read.about.date:
        return found
    # `replaces the one from 2019`: the year is the noun's.
    verbs_own = [m for m in own if not _is_inside(read, m, made.object)]
    return dates.validity(verbs_own, read.about.date, leaning, read.span.text)


def _is_inside(read: _Read, mention: dates.Mention, tokens: "tuple[Token, ...]") -> bool:
    first = read.span.start_char
    return any(mention.start <= t.idx - first < mention.end for t in tokens)


def _leaning(made: Statement) -> dates.Leaning:
    if made.shape == "apposition":
        return "current_period"
    looks_back = any(t.lower_ in {"has", "have", "'ve", "’ve"} for t in auxiliaries(made.verb))
    return "past" if looks_back or _is_past(made.verb) else "future"


def _is_past(verb: "Token") -> bool:
    if verb.tag_ == "VBD" or (verb.dep_ == "acl" and verb.tag_ == "VBN"):
        return True
    if verb.dep_ == "xcomp" and is_verb(verb.head):
        return _is_past(verb.head)
    words = {t.lower_ for t in auxiliaries(verb)}
    modal = any(t.tag_ == "MD" for t in auxiliaries(verb))
    return not modal and bool(words & {"was", "were", "had", "did"})


def _confidence(read: _Read, made: Statement, *, is_resolved: bool) -> float:
    """Return how sure the rules are: long sentences and guessed names are read wrong more often."""
    sure = _SURE
    if not is_resolved:
        sure -= 0.3
    elif any(t.i in read.referents.names for t in (made.subject,) if t is not None):
        sure -= 0.1
    if made.subject is None:
        sure -= 0.2
    if len(read.span) > 40:
        sure -= 0.2
    return round(max(0.1, sure), 2)


def _is_value(block: Block, doc: "Doc") -> bool:
    """Say whether what follows a key is its value, and no sentence of its own."""
    if block.key.casefold() in _PLAIN_KEYS or len(doc) > _MOST_VALUE_WORDS:
        return False
    return not has_finite_verb(doc) and not block.text.endswith("?")


def _pair(passage: Passage, block: Block, about: About) -> FactDraft | None:
    subject, value = block.heading or about.title, bare(block.text)
    key = block.key.lower() if not block.key.isupper() else block.key
    if not subject or not value:
        return None
    traits = Traits(subject, key, value, "stated", True, False, False, True, False)
    kind = kind_of(traits)
    start, end = _line(passage.text, block)
    return FactDraft(
        text=f"{subject}, {key}: {value}.",
        quote=passage.text[start:end],
        start=start,
        end=end,
        kind=kind,
        salience=salience_of(traits, kind),
        confidence=_SURE - 0.1,
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
