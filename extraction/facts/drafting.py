"""Drafting: from a statement to a fact that stands alone, with its quote, date and worth."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from extraction.facts import dates
from extraction.facts.frames import Statement, undated
from extraction.facts.grammar import is_past, looks_back
from extraction.facts.prose import Block
from extraction.facts.records import About, FactDraft, Passage, Validity
from extraction.facts.referents import OURS, Referents
from extraction.facts.salience import Traits, kind_of, salience_of
from extraction.facts.wording import bare, sentence, singular, worded

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SURE: Final = 0.9
"""The confidence of a fact of which nothing speaks against the reading."""
_FULL: Final = {"d": "would ", "ll": "will ", "ve": "have ", "re": "are ", "m": "am "}
_CONTRACTED: Final = re.compile(r"^['’](d|ll|ve|re|m) ")
_LONG: Final = 40
"""Tokens of a sentence; a longer one is parsed wrong more often."""


@dataclass(frozen=True, slots=True)
class Read:
    """One sentence that is being read."""

    passage: Passage
    block: Block
    about: About
    span: "Span"
    referents: Referents
    dates: tuple[dates.Mention, ...]
    dated: frozenset[int]
    """Its tokens that are part of a date."""


def draft(read: Read, made: Statement) -> FactDraft | None:
    """Return the fact that a statement is; None where nobody can tell whom it is about."""
    subject = _subject(read, made)
    object_ = bare(worded(undated(made.object, read.dated), read.referents.names))
    if not subject or subject.casefold() == object_.casefold():
        return None
    used = {*made.object, *made.subject_words}
    unresolved = [token for token in used if token.i in read.referents.unresolved]
    is_resolved = not unresolved
    validity = _validity(read, made)
    traits = Traits(
        subject,
        made.predicate,
        object_,
        made.standing,
        is_copula=made.shape != "verb" and made.predicate in {"be", "become", "remain"},
        is_past=_leaning(made) == "past",
        is_dated=validity.granularity != "document",
        is_resolved=is_resolved,
        is_ours=bool(unresolved) and all(t.lower_ in OURS for t in unresolved),
        is_authors=subject in read.about.authors[:1],
    )
    kind = kind_of(traits)
    start, end = _place(read)
    return FactDraft(
        text=_text(read, made, subject),
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
        is_past=made.shape != "apposition" and is_past(made.verb),
        is_resolved=is_resolved,
    )


def _place(read: Read) -> tuple[int, int]:
    first = read.span.start_char
    return read.block.span(first, first + len(read.span.text.rstrip()), read.passage.text)


def _text(read: Read, made: Statement, subject: str) -> str:
    """Return a statement as a sentence that stands alone."""
    names = {**read.referents.names, **read.referents.written}
    if made.is_one_of_many and not _is_plural(made):
        names = {**names, **singular(made.words, made.verb)}
    rest = _CONTRACTED.sub(lambda found: _FULL[found[1]], worded(made.words, names))
    if not made.opening:
        rest = f"{rest[:1].lower()}{rest[1:]}"  # the sentence began with its verb
    return sentence(worded(made.opening, names) or subject, f"{_is(made)}{rest}")


def _subject(read: Read, made: Statement) -> str:
    """Return whom a statement is about; what notes leave out is the author or the heading."""
    if made.subject is not None:
        return bare(worded(made.subject_words, read.referents.names))
    if made.verb.tag_ != "VBZ":
        return read.about.authors[0] if len(read.about.authors) == 1 else ""
    return read.block.topic


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


def _validity(read: Read, made: Statement) -> Validity:
    """Return when it holds; a date that is the object itself says nothing of that."""
    first = read.span.start_char
    itself = undated(made.object, read.dated)
    taken = [(t.idx - first, t.idx - first + len(t)) for t in itself]
    is_move = made.predicate.endswith(" to") and any(t.i in read.dated for t in itself)
    near = {t.i for t in made.words}
    own = [
        mention
        for mention in read.dates
        if not is_move
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


def _is_inside(read: Read, mention: dates.Mention, tokens: "tuple[Token, ...]") -> bool:
    first = read.span.start_char
    return any(mention.start <= t.idx - first < mention.end for t in tokens)


def _leaning(made: Statement) -> dates.Leaning:
    if made.shape == "apposition":
        return "current_period"
    return "past" if looks_back(made.verb) else "future"


def _confidence(read: Read, made: Statement, *, is_resolved: bool) -> float:
    """Return how sure the rules are: long sentences and guessed names are read wrong more often."""
    sure = SURE
    if not is_resolved:
        sure -= 0.3
    elif any(t.i in read.referents.names for t in (made.subject,) if t is not None):
        sure -= 0.1
    if made.subject is None:
        sure -= 0.2
    if len(read.span) > _LONG:
        sure -= 0.2
    return round(max(0.1, sure), 2)
