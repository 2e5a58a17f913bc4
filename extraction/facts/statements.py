"""Statements: what the clauses of a sentence say, and what says nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extraction.facts.complements import complements
from extraction.facts.frames import Statement, frame, frames, is_time, undated
from extraction.facts.grammar import (
    SUBJECTS,
    auxiliaries,
    child,
    children,
    group,
    is_verb,
    phrase,
    subject,
    verbs,
)
from extraction.facts.standing import is_thought

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_POLITE: Final = frozenset({"thank", "hope", "look"})
"""`I hope you are well` is no fact."""
_ROLE_ENDINGS: Final = (
    *("er", "or", "ist", "man", "woman", "wife", "ant", "ian", "eer", "head", "chief", "lead"),
    *("colleague", "friend", "mother", "father", "chair", "nurse", "agent", "student", "judge"),
)
_NO_ROLE: Final = frozenset({"no", "each", "every", "any", "some", "all", "both"})


def statements(sentence: "Span", dated: frozenset[int]) -> Iterator[Statement]:
    """Yield what a sentence says; `dated` holds its tokens that are part of a date."""
    if any(token.text == "?" for token in sentence[-2:]):
        return
    for verb in verbs(sentence):
        if not _is_silent(verb):
            yield from _of_verb(verb, dated)
    for token in sentence:
        yield from _appositions(token, dated)


def _is_silent(verb: "Token") -> bool:
    """Say whether a verb states nothing: commands, conditions, purposes, what somebody thinks."""
    marks = {t.lower_ for t in children(verb, "mark")}
    if verb.dep_ == "xcomp" and verb.tag_ == "VB" and not _is_governed(verb):
        return True
    if verb.dep_ == "advcl" and (child(verb, *SUBJECTS) is None or marks & {"if", "unless"}):
        return True
    if verb.dep_ == "acl" and verb.tag_ not in {"VBN", "VBG"}:
        return True
    if verb.dep_ in {"pcomp", "csubj"} or is_thought(verb):
        return True
    top = verb
    while top.dep_ in {"xcomp", "conj"} and is_verb(top.head) and child(top, *SUBJECTS) is None:
        top = top.head
    return _is_command(top) or (top != verb and _is_silent(top))


def _is_governed(verb: "Token") -> bool:
    to = any(t.lower_ == "to" for t in children(verb, "aux"))
    return to or verb.head.lemma_ in {"help", "let", "make", "go", "come", "dare"}


def _is_command(verb: "Token") -> bool:
    return (
        verb.tag_ in {"VB", "VBP"}
        and verb.dep_ in {"ROOT", "conj", "ccomp"}
        and subject(verb) is None
        and child(verb, "expl") is None
        and not any(t.lower_ != "do" and t.lower_ != "n't" for t in auxiliaries(verb))
    )


def _of_verb(verb: "Token", dated: frozenset[int]) -> Iterator[Statement]:
    about = subject(verb)
    if about is None and child(verb, "expl") is not None:
        yield from _existence(verb, dated)
        return
    if about is None and not _is_elided(verb):
        return
    if about is not None and (
        (about.lower_ == "i" and verb.lemma_ in _POLITE)
        or (about.lower_ != "i" and verb.lower_ == "am")  # a word of another language
        or about.i in dated
    ):
        return
    governs = any(t.dep_ == "xcomp" and is_verb(t) for t in verb.children)
    if governs and child(verb, "dobj") is None:
        return  # the verb that it governs says it all: `plans to move`
    for each in frames(verb, about, dated):
        yield from complements(each, dated)


def _is_elided(verb: "Token") -> bool:
    """Say whether a note leaves out whom it is about: `Planted two trees.`"""
    top = verb
    while top.dep_ == "conj" and is_verb(top.head):
        top = top.head
    first = next(iter(top.sent))
    is_finite = top.tag_ in {"VBD", "VBZ"} or (top.tag_ == "VBN" and child(top, "dobj") is not None)
    return top.dep_ == "ROOT" and is_finite and top.i - first.i <= 2


def _existence(verb: "Token", dated: frozenset[int]) -> Iterator[Statement]:
    """Yield where something is: `There are three copies in the library`."""
    for noun in (n for head in children(verb, "attr", "dobj", "nsubj") for n in group(head)):
        for prep in (*children(noun, "prep"), *children(verb, "prep")):
            if prep.lower_ == "of" or is_time(prep, dated):
                continue
            inside = set(prep.subtree)
            words = tuple(t for t in phrase(noun) if t not in inside)
            for place in (p for head in children(prep, "pobj") for p in group(head)):
                made = frame(verb, noun, words, dated)
                yield made.made(f"be {prep.lower_}", phrase(place), [prep])


def _appositions(token: "Token", dated: frozenset[int]) -> Iterator[Statement]:
    """Yield what a name is said to be: `Petra Sandoval, head of the group`."""
    for beside in children(token, "appos"):
        bearer = _bearer(token)
        if not _is_apart(token, beside) or bearer == beside:
            continue
        words = tuple(phrase(beside))
        is_number = any(t.pos_ == "NUM" or t.i in dated for t in undated(words, dated))
        if not is_number and _tells(bearer, beside):
            own = tuple(phrase(bearer))
            yield Statement(bearer, own, "be", words, own, words, beside, "stated", "apposition")


def _is_apart(token: "Token", beside: "Token") -> bool:
    between = token.doc[token.i + 1 : beside.i]
    return any(t.text in {",", "(", "–", "—", "-"} for t in between)


def _bearer(token: "Token") -> "Token":
    """Return who is meant: in `Priya, head at Halmfeld, my boss` the boss is not Halmfeld."""
    top = at = token
    while at.dep_ != "conj" and at.head != at and not is_verb(at.head):
        if at.dep_ == "appos" and at.head.pos_ == "PROPN":
            top = at.head
        at = at.head
    return top


def _tells(bearer: "Token", beside: "Token") -> bool:
    articles = children(beside, "det", "poss")
    if any(t.lower_ in _NO_ROLE for t in articles):
        return False
    if beside.pos_ != "NOUN":
        return any(t.lower_ in {"a", "an"} for t in articles)  # `the server, a Dell R640`
    if articles:
        return bearer.pos_ in {"PROPN", "NOUN"}
    if bearer.ent_type_ in {"GPE", "LOC", "FAC"}:
        return False
    return bearer.pos_ == "PROPN" and beside.lemma_.lower().endswith(_ROLE_ENDINGS)
