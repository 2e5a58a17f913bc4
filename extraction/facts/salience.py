"""Salience: how much a fact is worth remembering, by a table, with the reasons that made it.

And its kind, by the words that carry it. No model is asked: small ones repeat their examples.
"""

import re
from dataclasses import dataclass
from typing import Final

from extraction.facts.records import Kind, Salience, Standing

BASE: Final = 3
"""What a fact has of which nothing speaks for or against: just enough to be kept."""

_DECISION: Final = frozenset(
    {*("decide", "choose", "approve", "cancel", "postpone", "reject", "accept", "agree", "move")}
    | {*("sign", "hire", "appoint", "select", "adopt", "confirm", "resign", "quit", "order")}
    | {*("settle", "raise", "lower", "refuse", "decline", "stop", "recommend")}
)
_PREFERENCE: Final = frozenset(
    {*("prefer", "like", "love", "hate", "dislike", "enjoy", "favour", "favor", "want", "avoid")}
)
_RELATION: Final = frozenset(
    {*("work", "live", "belong", "manage", "lead", "own", "marry", "report", "employ", "found")}
    | {*("study", "join", "leave", "head", "run", "teach", "represent", "chair", "study", "owner")}
)
_QUANTITY: Final = frozenset({"cost", "weigh", "measure", "contain", "amount", "total", "number"})
_NAMING: Final = frozenset({"be called", "be named"})
_VAGUE: Final = frozenset(
    {*("thing", "things", "something", "anything", "nothing", "everything", "someone", "nobody")}
    | {*("it", "this", "that", "lot", "way", "bit", "one", "all", "some", "them", "he", "she")}
    | {*("they", "everyone", "anyone", "everybody", "somebody", "these", "those", "stuff", "what")}
)
_AMOUNT: Final = re.compile(
    r"[$€£¥]\s?\d|\d[\d.,]*\s?(?:%|[$€£¥]|euros?|dollars?|pounds?|EUR|USD|GBP|percent|km|kg|m|l|"
    r"hours?|days?|weeks?|months?|years?)\b"
)
_NAME: Final = re.compile(r"\b[A-Z][\w’'&-]*")
_WEIGHTS: Final = {
    "decision": 2,
    "preference": 1,
    "relationship": 1,
    "names whom or what it is about": 1,
    "names another": 1,
    "a date of its own": 1,
    "an amount": 1,
    "a commitment of the author": 1,
    "no object": -1,
    "only possible": -1,
    "under a condition": -1,
    "who else is meant is not said": -1,
    "a pronoun that nobody could resolve": -2,
    "says nothing definite": -2,
}


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a fact when it is weighed."""

    subject: str
    predicate: str
    object: str
    standing: Standing
    is_copula: bool
    """It says what somebody or something is."""
    is_past: bool
    is_dated: bool
    is_resolved: bool
    is_ours: bool
    """What is not resolved is only `we` and `our`."""
    is_authors: bool
    """Its subject is the one who wrote the text."""


def kind_of(traits: Traits) -> Kind:
    """Return the kind of a fact."""
    words = traits.predicate.split()
    lead = words[1] if words[:1] == ["be"] and len(words) > 1 else (words or [""])[0]
    if {lead, lead.removesuffix("ed"), lead.removesuffix("d")} & _DECISION:
        return "decision"
    if words and words[0] in _PREFERENCE:
        return "preference"
    if _AMOUNT.search(traits.object) or set(words) & _QUANTITY or traits.object[:1].isdigit():
        return "quantity"
    if traits.is_copula or traits.predicate in _NAMING:
        return "entity"
    if set(words) & _RELATION or (_is_named(traits.subject) and _is_named(traits.object)):
        return "relationship"
    return "event" if traits.is_past or traits.is_dated else "claim"


def salience_of(traits: Traits, kind: Kind) -> Salience:
    """Return how much a fact is worth, and why."""
    applies = {
        "decision": kind == "decision",
        "preference": kind == "preference",
        "relationship": kind == "relationship",
        "names whom or what it is about": _is_named(traits.subject),
        "names another": _is_named(traits.object),
        "a date of its own": traits.is_dated,
        "an amount": kind == "quantity",
        "a commitment of the author": traits.is_authors and traits.standing == "planned",
        "no object": not traits.object,
        "only possible": traits.standing == "possible",
        "under a condition": traits.standing == "conditional",
        "who else is meant is not said": traits.is_ours,
        "a pronoun that nobody could resolve": (not traits.is_resolved and not traits.is_ours),
        "says nothing definite": _is_vague(traits.subject) or _is_vague(traits.object),
    }
    reasons = [reason for reason, holds in applies.items() if holds]
    score = BASE + sum(_WEIGHTS[reason] for reason in reasons)
    told = tuple(f"{_WEIGHTS[reason]:+d} {reason}" for reason in reasons)
    return Salience(max(1, min(10, score)), told)


def _is_named(text: str) -> bool:
    return bool(_NAME.search(text))


def _is_vague(text: str) -> bool:
    return text.casefold() in _VAGUE
