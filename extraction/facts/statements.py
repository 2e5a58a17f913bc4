"""Statements: what the clauses of a sentence say, each as subject, predicate and object.

One statement has one object: what is joined by `and` becomes several, and a name after a
preposition one of its own (`sold the car to Vera` is two).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
    verbs,
)
from extraction.facts.records import Standing
from extraction.facts.standing import FACTIVE, denies, standing_of, weaker

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

Shape = Literal["verb", "copula", "apposition"]

_SAYING: Final = frozenset(
    {*("say", "think", "believe", "claim", "argue", "report", "hope", "suggest", "guess", "write")}
    | {*("assume", "mean", "tell", "promise", "feel", "worry", "doubt", "suspect", "expect")}
    | {*("wish", "fear", "imagine", "suppose", "propose", "insist", "announce", "warn", "recommend")}
)
_CONNECTIVES: Final = frozenset(
    {*("therefore", "however", "also", "then", "so", "moreover", "meanwhile", "instead", "too")}
    | {*("otherwise", "anyway", "thus", "hence", "besides", "unfortunately", "luckily", "of")}
)
_TIME_NOUNS: Final = frozenset(
    {*("day", "week", "month", "year", "hour", "minute", "morning", "afternoon", "evening")}
    | {*("night", "time", "moment", "weekend", "noon", "midnight", "while", "quarter")}
)
_DATE_MOVES: Final = frozenset({"to", "until"})
_EMPTY: Final = frozenset({"thank", "thanks", "hope", "look"})
_OBJECTS: Final = ("dobj", "attr", "oprd", "acomp", "dative", "ccomp", "agent", "prep")
_LINKS: Final = frozenset({"be", "become", "remain", "seem", "stay", "appear"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a sentence says; its tokens live as long as the parse."""

    subject: "Token | None"
    """None: the sentence leaves it out, as notes do."""
    predicate: str
    object: "tuple[Token, ...]"
    words: "tuple[Token, ...]"
    """What follows the subject when the statement is written out."""
    verb: "Token"
    standing: Standing
    shape: Shape = "verb"
    patient: "Token | None" = None
    """What the sentence begins with in the passive; the subject is who did it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """A verb with what belongs to every statement that it makes."""

    verb: "Token"
    subject: "Token | None"
    standing: Standing
    head: "tuple[Token, ...]"
    """The verb with its auxiliaries, negation and adverbs."""
    rest: "tuple[Token, ...]"
    """When, and under which condition."""
    prefix: str = ""
    """Verbs that govern it: `plan to`."""

    def made(self, predicate: str, object_: "Iterable[Token]", words: "Iterable[Token]") -> Statement:
        found = tuple(object_)
        every = {*self.head, *self.rest, *words, *found}
        return Statement(
            self.subject,
            f"{self.prefix}{predicate}",
            found,
            tuple(sorted(every, key=lambda token: token.i)),
            self.verb,
            self.standing,
            "copula" if self.verb.lemma_ in _LINKS and not is_passive(self.verb) else "verb",
        )


def statements(sentence: "Span", dated: frozenset[int]) -> Iterator[Statement]:
    """Yield what a sentence says; `dated` holds its tokens that are part of a date."""
    if any(token.text == "?" for token in sentence[-2:]):
        return
    for verb in verbs(sentence):
        if not _is_silent(verb):
            yield from _of_verb(verb, dated)
    for token in sentence:
        yield from _appositions(token)


def _is_silent(verb: "Token") -> bool:
    """Say whether a verb states nothing: commands, conditions, purposes, what somebody thinks."""
    marks = {t.lower_ for t in children(verb, "mark")}
    if verb.dep_ == "advcl" and (child(verb, "nsubj", "nsubjpass") is None or marks & {"if", "unless"}):
        return True
    if verb.dep_ == "acl" and verb.tag_ not in {"VBN", "VBG"}:
        return True
    if verb.dep_ in {"pcomp", "csubj"} or _is_thought(verb):
        return True
    top = verb
    while top.dep_ in {"xcomp", "conj"} and is_verb(top.head) and child(top, "nsubj") is None:
        top = top.head
    return _is_command(top) or (top is not verb and _is_silent(top))


def _is_thought(verb: "Token") -> bool:
    above = verb.head
    if verb.dep_ != "ccomp" or above.lemma_ in FACTIVE:
        return False
    marked = any(t.lower_ in {"that", "whether", "if"} for t in children(verb, "mark"))
    asked = any(t.tag_ in {"WRB", "WP", "WDT"} for t in verb.children)
    return marked or asked or above.lemma_ in _SAYING or verb.tag_ == "VB"


def _is_command(verb: "Token") -> bool:
    return (
        verb.tag_ in {"VB", "VBP"}
        and verb.dep_ in {"ROOT", "conj", "ccomp"}
        and subject(verb) is None
        and not any(t.lower_ != "do" and t.lower_ != "n't" for t in auxiliaries(verb))
    )


def _of_verb(verb: "Token", dated: frozenset[int]) -> Iterator[Statement]:
    about = subject(verb)
    if about is None and child(verb, "expl") is not None:
        yield from _existence(verb, dated)
        return
    if verb.lemma_ in _EMPTY and about is not None and about.lower_ == "i":
        return
    if about is None and not (_is_elided(verb)):
        return
    if any(t.dep_ == "xcomp" and is_verb(t) for t in verb.children) and child(verb, "dobj") is None:
        return  # the verb that it governs says it all: `plans to move`
    for one in group(about) if about is not None else (None,):
        yield from _with_subject(_frame(verb, one, dated), dated)


def _is_elided(verb: "Token") -> bool:
    top = verb
    while top.dep_ == "conj" and is_verb(top.head):
        top = top.head
    first = next(iter(top.sent))
    return top.dep_ == "ROOT" and top.tag_ in {"VBD", "VBZ"} and top.i - first.i <= 2


def _frame(verb: "Token", about: "Token | None", dated: frozenset[int]) -> _Frame:
    standing = standing_of(verb)
    if about is not None and is_alternative(about):
        standing = weaker(standing, "possible")
    if about is not None and denies(about):
        standing = weaker(standing, "negated")
    prefix, governing = _governing(verb)
    head = {verb, *governing, *auxiliaries(verb), *children(verb, "neg", "prt")}
    for adverb in children(verb, "advmod"):
        if adverb.lower_ not in _CONNECTIVES and adverb.tag_ != "WRB":
            head.update(adverb.subtree)
    rest: set[Token] = set()
    for token in children(verb, "prep", "npadvmod"):
        if _is_time(token, dated):
            rest.update(token.subtree)
    for clause in children(verb, "advcl"):
        if any(t.lower_ in {"if", "unless", "when", "until"} for t in clause.children):
            rest.update(clause.subtree)
    return _Frame(verb, about, standing, tuple(head), tuple(rest), prefix)


def _governing(verb: "Token") -> tuple[str, set["Token"]]:
    """Return what governs a verb, as part of its predicate, with its tokens."""
    prefix, tokens = "", set["Token"]()
    while verb.dep_ == "xcomp" and is_verb(verb.head) and child(verb.head, "dobj") is None:
        link = " to " if any(t.lower_ == "to" for t in children(verb, "aux")) else " "
        above = verb.head
        if above.lower_ != "going":
            prefix = f"{above.lemma_.lower()}{link}{prefix}"
        tokens |= {above, *auxiliaries(above), *children(above, "neg", "prt")}
        verb = above
    return prefix, tokens


def _is_time(token: "Token", dated: frozenset[int]) -> bool:
    noun = child(token, "pobj") if token.dep_ == "prep" else token
    if noun is None:
        return False
    return any(t.i in dated for t in token.subtree if t.head in (token, noun) or t is noun) or (
        noun.lemma_.lower() in _TIME_NOUNS
    )


def _with_subject(frame: _Frame, dated: frozenset[int]) -> Iterator[Statement]:
    verb = frame.verb
    made: list[Statement] = []
    if is_passive(verb):
        made.extend(_passive(frame, dated))
    else:
        made.extend(_active(frame, dated))
    yield from made


def _passive(frame: _Frame, dated: frozenset[int]) -> Iterator[Statement]:
    verb, patient = frame.verb, frame.subject
    agents = [noun for by in children(verb, "agent") for noun in _nouns(by)]
    for agent in agents:
        if patient is not None:
            words = {*frame.head, *frame.rest, *children(verb, "agent"), *phrase(agent)}
            yield Statement(
                agent,
                f"{frame.prefix}{_name(verb)}",
                tuple(phrase(patient)),
                tuple(sorted(words, key=lambda t: t.i)),
                verb,
                frame.standing,
                patient=patient,
            )
    predicate = f"be {verb.lower_}"
    found = list(_prepositional(frame, predicate, dated, names_only=bool(agents)))
    yield from found
    if not agents and not found:
        yield frame.made(predicate, (), _complements(verb))


def _active(frame: _Frame, dated: frozenset[int]) -> Iterator[Statement]:
    verb = frame.verb
    predicate = _name(verb)
    objects = [n for head in children(verb, "dobj", "attr", "oprd") for n in group(head)]
    for noun in objects:
        standing = weaker(frame.standing, "possible" if is_alternative(noun) else "stated")
        made = frame.made(predicate, phrase(noun), _plain_complements(verb, dated))
        yield _with_standing(made, standing)
    yield from _adjectives(frame, predicate, dated)
    yield from _receivers(frame, predicate, objects)
    clause = child(verb, "ccomp")
    if clause is not None and _is_thought(clause) and not objects:
        said = [t for t in clause.subtree if not (t.dep_ == "mark" and t.head is clause)]
        yield frame.made(predicate, said, clause.subtree)
        return
    bare = not objects and child(verb, "acomp") is None
    found = list(_prepositional(frame, predicate, dated, names_only=not bare))
    yield from found
    if bare and not found and child(verb, "dative", "ccomp", "xcomp") is None:
        yield from _intransitive(frame, predicate, dated)


def _intransitive(frame: _Frame, predicate: str, dated: frozenset[int]) -> Iterator[Statement]:
    """Yield a verb without object; for `is on 9 June` the date is the object."""
    if frame.verb.lemma_ == "be":
        for prep in children(frame.verb, "prep"):
            if _is_time(prep, dated):
                noun = child(prep, "pobj")
                words = phrase(noun) if noun is not None else []
                yield frame.made(f"be {prep.lower_}", words, prep.subtree)
                return
        return
    yield frame.made(predicate, (), _complements(frame.verb))


def _adjectives(frame: _Frame, predicate: str, dated: frozenset[int]) -> Iterator[Statement]:
    for head in children(frame.verb, "acomp", "xcomp"):
        if is_verb(head):
            continue
        for adjective in (head, *children(head, "conj")):
            preps = [p for p in children(adjective, "prep") if not _is_time(p, dated)]
            for prep in preps:
                for noun in _nouns(prep):
                    words = [t for t in phrase(adjective) if t.i <= prep.i]
                    name = f"{predicate} {adjective.lower_} {prep.lower_}"
                    yield frame.made(name, phrase(noun), [*words, prep])
            if not preps:
                yield frame.made(predicate, phrase(adjective), ())


def _receivers(frame: _Frame, predicate: str, objects: list["Token"]) -> Iterator[Statement]:
    """Yield who gets it: `offered me a position`."""
    for receiver in children(frame.verb, "dative"):
        given = [word for noun in objects[:1] for word in phrase(noun)]
        if receiver.pos_ == "ADP":
            for noun in _nouns(receiver):
                name = f"{predicate} {receiver.lower_}"
                yield frame.made(name, phrase(noun), [receiver, *given])
        else:
            for noun in group(receiver):
                yield frame.made(f"{predicate} to", phrase(noun), given)


def _prepositional(
    frame: _Frame, predicate: str, dated: frozenset[int], *, names_only: bool
) -> Iterator[Statement]:
    """Yield what prepositions lead to; beside an object only names and numbers."""
    verb = frame.verb
    given = [w for noun in children(verb, "dobj", "attr")[:1] for w in phrase(noun)]
    for outer in children(verb, "prep"):
        inner = child(outer, "prep") if child(outer, "pobj") is None else None
        leading = [outer] if inner is None else [outer, inner]
        prep = leading[-1]
        if _is_time(prep, dated) and prep.lower_ not in _DATE_MOVES:
            continue
        name = " ".join([predicate, *(t.lower_ for t in leading)])
        for noun in _nouns(prep):
            if not names_only or _is_name(noun):
                yield frame.made(name, phrase(noun), [*leading, *given])


def _is_name(noun: "Token") -> bool:
    words = phrase(noun)
    return any(t.pos_ in {"PROPN", "NUM"} or t.tag_ == "PRP" for t in words)


def _nouns(prep: "Token") -> list["Token"]:
    return [noun for head in children(prep, "pobj") for noun in group(head)]


def _complements(verb: "Token") -> list["Token"]:
    return [t for c in children(verb, "prep", "npadvmod") for t in c.subtree]


def _plain_complements(verb: "Token", dated: frozenset[int]) -> list["Token"]:
    """Return complements that make no statement of their own."""
    plain = [
        p
        for p in children(verb, "prep", "npadvmod")
        if not any(_is_name(noun) for noun in _nouns(p)) or _is_time(p, dated)
    ]
    return [token for p in plain for token in p.subtree]


def _existence(verb: "Token", dated: frozenset[int]) -> Iterator[Statement]:
    """Yield where something is: `There are three copies in the library`."""
    for noun in (n for head in children(verb, "attr", "dobj", "nsubj") for n in group(head)):
        for prep in (*children(noun, "prep"), *children(verb, "prep")):
            if prep.lower_ == "of" or _is_time(prep, dated):
                continue
            frame = _frame(verb, noun, dated)
            for place in _nouns(prep):
                yield frame.made(f"be {prep.lower_}", phrase(place), [prep])


def _appositions(token: "Token") -> Iterator[Statement]:
    """Yield what a name is said to be: `Petra Sandoval, head of the group`."""
    if token.pos_ != "PROPN" and token.tag_ not in {"NN", "NNS"}:
        return
    for beside in children(token, "appos"):
        apart = any(t.text in {",", "(", "–", "—", "-"} for t in token.doc[token.i + 1 : beside.i])
        if not apart or beside.pos_ != "NOUN" or beside.ent_type_ in {"DATE", "MONEY"}:
            continue
        marked = children(beside, "det", "poss") or token.pos_ == "PROPN"
        if marked and not any(t.pos_ == "NUM" for t in phrase(beside)):
            words = tuple(phrase(beside))
            yield Statement(token, "be", words, words, beside, "stated", "apposition")


def _with_standing(made: Statement, standing: Standing) -> Statement:
    if standing == made.standing:
        return made
    return replace(made, standing=standing)


def _name(verb: "Token") -> str:
    particles = [t.lower_ for t in children(verb, "prt")]
    return " ".join([verb.lemma_.lower(), *particles])

