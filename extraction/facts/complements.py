"""Complements: the statements that one verb makes with its objects, one object each.

What is joined by `and` becomes several statements, and a name after a preposition one of its own:
`sold the car to Vera` is two.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from extraction.facts.frames import WH, Frame, Statement, is_time, named, points_back
from extraction.facts.grammar import (
    child,
    children,
    group,
    is_alternative,
    is_passive,
    is_verb,
    phrase,
    whole,
)
from extraction.facts.standing import is_thought

if TYPE_CHECKING:
    from spacy.tokens import Token

_NO_LINKS: Final = frozenset(
    {*("because", "despite", "without", "like", "than", "instead", "per", "according")}
)
_MOST_SAID: Final = 25
"""Tokens of what somebody says; more is no fact, but a text of its own."""
_DATE_MOVES: Final = frozenset(
    {*("move", "postpone", "shift", "delay", "bring", "change", "extend", "reschedule", "push")}
    | {*("set", "defer", "advance", "adjourn", "put", "raise", "lower", "reduce", "increase")}
)
"""Verbs that are about the date which they lead to: `moved to 5 June`."""


def complements(frame: Frame, dated: frozenset[int]) -> Iterator[Statement]:
    """Yield what a verb says of one subject."""
    made = _passive(frame, dated) if is_passive(frame.verb) else _active(frame, dated)
    yield from (
        each
        for each in made
        if not _only_refers(each.object)
        and not any(t.tag_ in WH and t.head == frame.verb for t in each.words)
    )


def _only_refers(words: "tuple[Token, ...]") -> bool:
    """Say whether an object is no more than `which` or `how much`."""
    return any(t.tag_ in WH for t in words) and not any(is_verb(t) for t in words)


def _passive(frame: Frame, dated: frozenset[int]) -> Iterator[Statement]:
    verb = frame.verb
    predicate = named(verb)
    agents = [noun for by in children(verb, "agent") for noun in _nouns(by)]
    active = f"{frame.prefix}{verb.lemma_.lower()}"
    for agent in agents:
        if frame.subject is not None:
            done = frame.made("", phrase(agent), children(verb, "agent"))
            yield replace(
                done,
                subject=agent,
                subject_words=tuple(phrase(agent)),
                predicate=active,
                object=frame.subject_words,
            )
    called = [noun for head in children(verb, "oprd") for noun in group(head)]
    for noun in called:
        yield frame.made(predicate, phrase(noun), ())
    found = list(_prepositional(frame, predicate, dated, names_only=bool(agents)))
    yield from found
    if not agents and not found and not called:
        yield frame.made(predicate, (), _complements(verb))


def _active(frame: Frame, dated: frozenset[int]) -> Iterator[Statement]:
    verb = frame.verb
    predicate = named(verb)
    heads = children(verb, "dobj", "attr", "oprd")
    objects = [noun for head in heads for noun in group(head)]
    clause = child(verb, "ccomp")
    if clause is not None and is_thought(clause):
        yield from _said(frame, predicate, clause, heads)
        return
    plain = _plain_complements(verb, dated)
    for head in heads:
        for made in _with_object(frame, predicate, head, plain):
            yield replace(made, shape="copula") if head.dep_ == "attr" else made
    yield from _adjectives(frame, predicate, dated)
    yield from _receivers(frame, predicate, objects)
    is_bare = not objects and child(verb, "acomp") is None
    found = list(_prepositional(frame, predicate, dated, names_only=not is_bare))
    yield from found
    if shared := _shared(verb) if is_bare and not found else ():
        for noun in shared:
            yield frame.made(predicate, phrase(noun), ())
    elif is_bare and not found and child(verb, "dative", "ccomp", "xcomp") is None:
        yield from _intransitive(frame, predicate, dated)


def _shared(verb: "Token") -> "list[Token]":
    """Return the objects of the verb joined to this one: `wrote and signed the letter`."""
    joint = child(verb, "cc")
    other = child(verb, "conj")
    if joint is None or other is None or joint.i != verb.i + 1 or child(other, "nsubj"):
        return []
    return [noun for head in children(other, "dobj") for noun in group(head)]


def _with_object(
    frame: Frame, predicate: str, head: "Token", plain: "list[Token]"
) -> Iterator[Statement]:
    if is_alternative(head):
        yield frame.made(predicate, whole(head), plain, "possible")
        return
    for noun in group(head):
        yield frame.made(predicate, phrase(noun), plain)


def _said(frame: Frame, predicate: str, clause: "Token", heads: "list[Token]") -> list[Statement]:
    said = [t for t in clause.subtree if not (t.lower_ == "that" and t.head == clause)]
    if len(said) > _MOST_SAID:
        return []
    hearers = [*heads, *children(frame.verb, "dative")]
    to_whom = [word for head in hearers for word in phrase(head)]
    return [frame.made(predicate, said, [*clause.subtree, *to_whom])]


def _intransitive(frame: Frame, predicate: str, dated: frozenset[int]) -> Iterator[Statement]:
    """Yield a verb without object; for `is on 9 June` the date is the object."""
    verb = frame.verb
    if verb.lemma_ == "be":
        for prep in children(verb, "prep"):
            noun = child(prep, "pobj")
            if noun is not None and is_time(prep, dated):
                yield frame.made(f"be {prep.lower_}", phrase(noun), prep.subtree)
                return
        return
    if verb.dep_ == "relcl" and child(verb, "nsubj") is not None and not _is_about_itself(verb):
        return  # `the forecast they buy`: the object is the noun before, or a place or time
    yield frame.made(predicate, (), _complements(verb))


def _is_about_itself(clause: "Token") -> bool:
    own = child(clause, "nsubj")
    return own is not None and (own.tag_ in {"WDT", "WP"} or own.lower_ == "that")


def _adjectives(frame: Frame, predicate: str, dated: frozenset[int]) -> Iterator[Statement]:
    for head in children(frame.verb, "acomp", "xcomp"):
        if is_verb(head):
            continue
        for adjective in (head, *children(head, "conj")):
            preps = [p for p in children(adjective, "prep") if not is_time(p, dated)]
            for prep in preps:
                for noun in _nouns(prep):
                    words = [t for t in phrase(adjective) if t.i <= prep.i]
                    name = f"{predicate} {adjective.lower_} {prep.lower_}"
                    yield frame.made(name, phrase(noun), [*words, prep])
            if not preps:
                yield frame.made(predicate, phrase(adjective), ())


def _receivers(frame: Frame, predicate: str, objects: "list[Token]") -> Iterator[Statement]:
    """Yield who gets it: `offered me a position`."""
    given = [word for noun in objects[:1] for word in phrase(noun)]
    for receiver in children(frame.verb, "dative"):
        if receiver.pos_ == "ADP":
            for noun in _nouns(receiver):
                name = f"{predicate} {receiver.lower_}"
                yield frame.made(name, phrase(noun), [receiver, *given])
        else:
            for noun in group(receiver):
                yield frame.made(f"{predicate} to", phrase(noun), given)


def _prepositional(
    frame: Frame, predicate: str, dated: frozenset[int], *, names_only: bool
) -> Iterator[Statement]:
    """Yield what prepositions lead to; beside an object only names and numbers."""
    verb = frame.verb
    given = [w for noun in children(verb, "dobj", "attr")[:1] for w in phrase(noun)]
    outers = children(verb, "prep")
    # `from Tuesday to Thursday`: the parser hangs the second on the first.
    outers += [
        t for o in outers if o.lower_ == "from" for t in children(o, "prep") if t.lower_ == "to"
    ]
    for outer in outers:
        inner = child(outer, "prep") if child(outer, "pobj") is None else None
        leading = [outer] if inner is None else [outer, inner]
        prep = leading[-1]
        is_move = prep.lower_ == "to" and verb.lemma_ in _DATE_MOVES
        if is_time(prep, dated) and not is_move:
            continue
        if outer.lower_ in _NO_LINKS or (prep.lower_ == "of" and _is_idle(prep)):
            continue
        name = " ".join([predicate, *(t.lower_ for t in leading)])
        for noun in _nouns(prep):
            if not names_only or _is_name(noun):
                yield frame.made(name, phrase(noun), [*leading, *given])


def _is_idle(prep: "Token") -> bool:
    return any(t.lemma_.lower() in {"course", "thing"} for t in prep.children)


def _is_name(noun: "Token") -> bool:
    return any(t.pos_ in {"PROPN", "NUM"} or t.tag_ == "PRP" for t in phrase(noun))


def _nouns(prep: "Token") -> "list[Token]":
    return [noun for head in children(prep, "pobj") for noun in group(head)]


def _complements(verb: "Token") -> "list[Token]":
    kept = [c for c in children(verb, "prep", "npadvmod") if not points_back(c)]
    return [token for c in kept for token in c.subtree]


def _plain_complements(verb: "Token", dated: frozenset[int]) -> "list[Token]":
    """Return complements that make no statement of their own."""
    plain = [
        p
        for p in children(verb, "prep", "npadvmod")
        if not points_back(p)
        and not p.lower_.endswith("self")
        and (is_time(p, dated) or not any(_is_name(noun) for noun in _nouns(p)))
    ]
    return [token for p in plain for token in p.subtree]
