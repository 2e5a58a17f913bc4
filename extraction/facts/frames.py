"""Frames: a verb with what belongs to every statement that it makes, and the statement itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from extraction.facts.grammar import (
    auxiliaries,
    child,
    children,
    group,
    is_alternative,
    is_passive,
    is_verb,
    phrase,
    subject,
    whole,
)
from extraction.facts.records import Standing
from extraction.facts.standing import denies, is_denial, standing_of, weaker

if TYPE_CHECKING:
    from spacy.tokens import Token

Shape = Literal["verb", "copula", "apposition"]

_CONNECTIVES: Final = frozenset(
    {*("therefore", "however", "also", "then", "so", "moreover", "meanwhile", "instead", "too")}
    | {*("otherwise", "anyway", "thus", "hence", "besides", "unfortunately", "luckily", "of")}
)
_TIME_NOUNS: Final = frozenset(
    {*("day", "week", "month", "year", "hour", "minute", "morning", "afternoon", "evening")}
    | {*("night", "time", "moment", "weekend", "noon", "midnight", "while", "quarter", "present")}
    | {*("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")}
    | {*("mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays")}
)
WH: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
"""Tags of `which`, `what`, `how` and the like."""
_TIME_LINKS: Final = frozenset({"since", "until", "till", "during", "after", "before"})
_HOUR: Final = re.compile(r"\d{1,2}[:.]\d\d|\d{1,2}\s?[ap]\.?m\.?|o'clock|\d+([/.-])\d+\1\d+", re.I)
_CONDITIONS: Final = frozenset({"if", "unless", "when", "until", "provided"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a sentence says; its tokens live as long as the parse."""

    subject: "Token | None"
    """None: the sentence leaves it out, as notes do."""
    subject_words: "tuple[Token, ...]"
    predicate: str
    object: "tuple[Token, ...]"
    opening: "tuple[Token, ...]"
    """What it begins with when it is written out: in the passive not the subject."""
    words: "tuple[Token, ...]"
    """What follows the opening."""
    verb: "Token"
    standing: Standing
    shape: Shape = "verb"
    is_one_of_many: bool = False
    """Its subject is one of several that share a verb: `Jon and Eva live here`."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb, one subject, and what stands in each of their statements."""

    verb: "Token"
    subject: "Token | None"
    subject_words: "tuple[Token, ...]"
    opening: "tuple[Token, ...]"
    standing: Standing
    head: "frozenset[Token]"
    """The verb with its auxiliaries, negation and adverbs."""
    rest: "frozenset[Token]"
    """When, and under which condition."""
    prefix: str
    """Verbs that govern it: `plan to `."""

    def made(
        self,
        predicate: str,
        found: "Iterable[Token]",
        words: "Iterable[Token]",
        standing: Standing = "stated",
    ) -> Statement:
        """Return a statement with this object and these further words."""
        chosen = tuple(found)
        return Statement(
            self.subject,
            self.subject_words,
            f"{self.prefix}{predicate}",
            chosen,
            self.opening,
            self.ordered((*words, *chosen)),
            self.verb,
            weaker(self.standing, standing),
            is_one_of_many=self.subject is not None
            and self.subject_words == self.opening
            and len(group(self.subject)) + (self.subject.dep_ == "conj") > 1
            and not is_alternative(self.subject),
        )

    def ordered(self, more: "Iterable[Token]") -> "tuple[Token, ...]":
        """Return all words as a plain sentence has them: what stood before the verb comes last."""
        every = sorted({*self.head, *self.rest, *more}, key=lambda token: token.i)
        first = min(token.i for token in self.head)
        return (*(t for t in every if t.i >= first), *(t for t in every if t.i < first))


def frames(verb: "Token", about: "Token | None", dated: frozenset[int]) -> Iterator[Frame]:
    """Yield a frame for each of the subjects that are joined by `and`; `or` leaves them one."""
    if about is None:
        yield frame(verb, None, (), dated)
    elif is_alternative(about):
        yield frame(verb, about, tuple(whole(about)), dated)
    else:
        for one in group(about):
            yield frame(verb, one, tuple(phrase(one)), dated)


def frame(
    verb: "Token", about: "Token | None", words: "tuple[Token, ...]", dated: frozenset[int]
) -> Frame:
    """Return the frame of a verb with one subject."""
    standing = standing_of(verb)
    if about is not None and denies(about):
        standing = weaker(standing, "negated")
    elif about is not None and is_alternative(about):
        standing = weaker(standing, "possible")
    prefix, governing = _governing(verb)
    negations = [t for t in children(verb, "neg") if is_denial(t)]
    head = {verb, *governing, *auxiliaries(verb), *negations, *children(verb, "prt", "auxpass")}
    opening = words
    above = subject(verb.head) if _is_made_to(verb, about) else None
    if above is not None:
        # `Marta asked Jon to repair the gate`: only the whole is a sentence.
        opening = tuple(phrase(above))
        head |= {verb.head, *auxiliaries(verb.head), *children(verb.head, "neg"), *words}
    first = about.i if about is not None else -1
    rest: set[Token] = set()
    for adverb in children(verb, "advmod"):
        if adverb.lower_ not in _CONNECTIVES and adverb.tag_ != "WRB" and not _is_only(adverb):
            (head if adverb.left_edge.i > first else rest).update(adverb.subtree)
    for token in children(verb, "prep", "npadvmod"):
        if is_time(token, dated) and not points_back(token):
            rest.update(token.subtree)
    for clause in children(verb, "advcl"):
        if any(t.lower_ in _CONDITIONS for t in clause.children):
            rest.update(clause.subtree)
    return Frame(verb, about, words, opening, standing, frozenset(head), frozenset(rest), prefix)


def _is_only(adverb: "Token") -> bool:
    before = adverb.doc[max(0, adverb.i - 1) : adverb.i]
    return any(t.dep_ == "neg" and not is_denial(t) for t in before)


def _is_made_to(verb: "Token", about: "Token | None") -> bool:
    """Say whether somebody else wants the subject to do it."""
    if verb.dep_ not in {"xcomp", "ccomp"} or about is None:
        return False
    infinitive = any(t.lower_ == "to" for t in children(verb, "aux"))
    return about == child(verb.head, "dobj") or (infinitive and about.head == verb)


def _governing(verb: "Token") -> tuple[str, set["Token"]]:
    """Return what governs a verb, as part of its predicate, with its tokens."""
    prefix, tokens = "", set["Token"]()
    while verb.dep_ == "xcomp" and is_verb(verb.head) and child(verb.head, "dobj") is None:
        link = " to " if any(t.lower_ == "to" for t in children(verb, "aux")) else " "
        above = verb.head
        if above.lower_ not in {"going", "used"}:
            prefix = f"{above.lemma_.lower()}{link}{prefix}"
        tokens |= {above, *auxiliaries(above), *children(above, "neg", "prt")}
        verb = above
    return prefix, tokens


def is_time(token: "Token", dated: frozenset[int]) -> bool:
    """Say whether a noun, or what a preposition leads to, is a time."""
    noun = child(token, "pobj") if token.dep_ == "prep" else token
    if noun is None:
        return False
    if token.dep_ == "prep" and (
        token.lower_ in _TIME_LINKS or (token.lower_ == "at" and noun.pos_ == "NUM")
    ):
        return True
    near = [t for t in token.subtree if t.head in (token, noun) or t == noun]
    if any(t.i in dated or _HOUR.fullmatch(t.text) for t in near):
        return True
    return noun.lemma_.lower() in _TIME_NOUNS


def undated(words: "Iterable[Token]", dated: frozenset[int]) -> "tuple[Token, ...]":
    """Return a phrase without its dates: `a flat from August` is a flat. `of` belongs to it."""
    kept = tuple(words)
    inside = set(kept)
    leave = {
        below
        for token in kept
        if token.dep_ == "prep" and token.lower_ != "of" and token.head in inside
        if is_time(token, dated)
        for below in token.subtree
    }
    return tuple(token for token in kept if token not in leave)


def points_back(token: "Token") -> bool:
    """Say whether a phrase only refers: `on which`, `what`, `how much`."""
    return any(t.tag_ in WH for t in token.subtree) and not any(is_verb(t) for t in token.subtree)


def named(verb: "Token") -> str:
    """Return the verb as a dictionary has it: `pick up`; in the passive `be moved`."""
    if is_passive(verb):
        return f"be {verb.lower_}"
    particles = [t.lower_ for t in children(verb, "prt")]
    return " ".join([verb.lemma_.lower(), *particles])
