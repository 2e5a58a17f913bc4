"""Standing: whether a text states something, denies it, or only plans, demands or supposes it."""

from functools import reduce
from typing import TYPE_CHECKING, Final

from extraction.facts.grammar import SUBJECTS, auxiliaries, child, children, is_verb, subject
from extraction.facts.records import Standing

if TYPE_CHECKING:
    from spacy.tokens import Token

_NO: Final = frozenset(
    {*("no", "not", "n't", "n’t", "never", "nobody", "none", "nothing", "neither", "nor")}
)
_HARDLY: Final = frozenset({"hardly", "scarcely", "barely", "rarely", "seldom"})
_AUXILIARIES: Final[dict[str, Standing]] = {
    "will": "planned",
    "'ll": "planned",
    "’ll": "planned",
    "shall": "planned",
    "wo": "planned",
    "would": "conditional",
    "'d": "conditional",
    "’d": "conditional",
    "may": "possible",
    "might": "possible",
    "can": "possible",
    "ca": "possible",
    "could": "possible",
    "should": "required",
    "must": "required",
    "ought": "required",
}
_ABLE: Final = frozenset({"can", "ca", "could"})
_DOUBTS: Final = frozenset(
    {*("maybe", "perhaps", "possibly", "probably", "apparently", "allegedly", "presumably")}
)
_CONDITIONS: Final = frozenset({"if", "unless", "whether", "provided", "lest", "once", "till"})
_WHEN: Final = frozenset({"when", "whenever", "until", "before", "after"})

_CONTROL: Final[dict[str, Standing]] = {
    **dict.fromkeys(("plan", "intend", "want", "promise", "agree", "decide", "go"), "planned"),
    **dict.fromkeys(("hope", "try", "attempt", "wish", "consider", "seem", "appear"), "possible"),
    **dict.fromkeys(("expect", "like", "love", "offer", "threaten", "propose"), "possible"),
    **dict.fromkeys(("need", "have", "ask", "tell", "advise", "order", "remind"), "required"),
    **dict.fromkeys(("invite", "allow", "suggest", "recommend", "require"), "required"),
    **dict.fromkeys(("refuse", "fail", "decline", "forget", "stop", "avoid", "cease"), "negated"),
}
"""What a verb makes of the verb that it governs: `plans to move` is no move."""

_FACTIVE: Final = frozenset(
    {*("know", "notice", "learn", "confirm", "realise", "realize", "discover", "remember", "find")}
)
"""Verbs whose `that …` is true when they are."""

_SAYING: Final = frozenset(
    {*("say", "think", "believe", "claim", "argue", "report", "hope", "suggest", "guess", "write")}
    | {*("assume", "mean", "tell", "promise", "feel", "worry", "doubt", "suspect", "expect")}
    | {
        *(
            "wish",
            "fear",
            "imagine",
            "suppose",
            "propose",
            "insist",
            "announce",
            "warn",
            "recommend",
        )
    }
)
_WEIGHT: Final[tuple[Standing, ...]] = (
    *("conditional", "possible", "negated", "required", "planned", "stated"),
)


def standing_of(verb: "Token") -> Standing:
    """Return how the sentence puts what `verb` says: the weakest of all that bears on it."""
    found: list[Standing] = ["stated"]
    is_denied = _is_denied(verb)
    helpers = [aux.lower_ for aux in auxiliaries(verb)]
    # What cannot be is denied, what may not be is possible.
    found.extend(_AUXILIARIES.get(h, "stated") for h in helpers if not (is_denied and h in _ABLE))
    if _is_going_to(verb):
        found.append("planned")
    if is_denied:
        found.append("negated")
    if any(t.lower_ == "according" for t in children(verb, "prep")):
        found.append("possible")
    if any(t.lower_ in _DOUBTS for t in verb.subtree if t.head in (verb, verb.head)):
        found.append("possible")
    if _is_conditional(verb):
        found.append("conditional")
    if _is_one_way(verb):
        found.append("possible")
    found.append(_inherited(verb))
    return reduce(weaker, found)


def _is_one_way(verb: "Token") -> bool:
    """Say whether a verb is joined to another by `or`."""
    above = verb.head if verb.dep_ == "conj" else verb
    return any(t.lower_ == "or" for t in children(above, "cc")) and any(
        is_verb(t) for t in children(above, "conj")
    )


def weaker(one: Standing, other: Standing) -> Standing:
    """Return the weaker of two."""
    return one if _WEIGHT.index(one) <= _WEIGHT.index(other) else other


def denies(noun: "Token") -> bool:
    """Say whether a noun phrase says that there is none: `no`, `nobody`, `neither`."""
    words = [noun, *children(noun, "det", "neg", "preconj", "cc")]
    return any(t.lower_ in _NO for t in words)


def is_thought(verb: "Token") -> bool:
    """Say whether a clause is only what somebody says or thinks."""
    above = verb.head
    if verb.dep_ != "ccomp" or above.lemma_ in _FACTIVE:
        return False
    marked = any(t.lower_ in {"that", "whether", "if"} for t in children(verb, "mark"))
    asked = any(t.tag_ in {"WRB", "WP", "WDT"} for t in verb.children)
    return marked or asked or above.lemma_ in _SAYING or verb.tag_ == "VB"


def is_denial(negation: "Token") -> bool:
    """Say whether a `not` denies: `not only a doctor but a painter` is both."""
    after = negation.doc[negation.i + 1 : negation.i + 2]
    return not any(t.lower_ in {"only", "just", "merely"} for t in after)


def _inherited(verb: "Token") -> Standing:
    """Return what the verb above makes of this one."""
    above = verb.head
    if above == verb or not is_verb(above):
        return "stated"
    if verb.dep_ == "xcomp":
        return weaker(standing_of(above), _CONTROL.get(above.lemma_, "stated"))
    shares = verb.dep_ == "conj" and child(verb, *SUBJECTS) is None
    if shares or (verb.dep_ == "conj" and _is_conditional(above)):
        # `will test and report`; `If it rains or snows`. A negation is not shared by force:
        # `did not call but wrote`.
        shared = standing_of(above)
        own = child(verb, "aux", "auxpass") is not None or verb.tag_ in {"VBD", "VBZ", "VBP"}
        if _is_conditional(above):
            return "conditional"
        if own or (shared == "negated" and _is_but(verb)):
            return "stated"
        return shared
    return "stated"


def _is_but(verb: "Token") -> bool:
    return any(t.lower_ in {"but", "yet"} for t in children(verb.head, "cc"))


def _is_going_to(verb: "Token") -> bool:
    return verb.dep_ == "xcomp" and verb.head.lower_ == "going" and child(verb, "aux") is not None


def _is_denied(verb: "Token") -> bool:
    if any((t.dep_ == "neg" and is_denial(t)) or t.lower_ in _HARDLY for t in verb.children):
        return True
    adverbs = children(verb, "advmod")
    if any(t.lower_ in _HARDLY for adverb in adverbs for t in adverb.children):
        return True
    if any(t.lower_ in {"longer", "more"} and _has_no(t) for t in adverbs):
        return True
    shared = auxiliaries(verb)
    if any(t.dep_ == "neg" and is_denial(t) for aux in shared for t in aux.children):
        return True
    about = subject(verb)
    objects = children(verb, "dobj", "attr", "dative")
    return any(denies(noun) for noun in (*([about] if about is not None else []), *objects))


def _has_no(adverb: "Token") -> bool:
    return any(t.lower_ == "no" for t in adverb.children)


def _is_conditional(verb: "Token") -> bool:
    """Say whether a verb stands in a condition, or has one."""
    marks = {t.lower_ for t in children(verb, "mark", "advmod") if t.i < verb.i}
    if marks & _CONDITIONS:
        return True
    if verb.dep_ == "advcl" and marks & _WHEN and verb.tag_ != "VBD" and not _is_past(verb):
        return True
    return any(_is_if(t) for t in children(verb, "advcl"))


def _is_if(clause: "Token") -> bool:
    words = {t.lower_ for t in children(clause, "mark", "advmod")}
    return bool(words & {"if", "unless", "provided"})


def _is_past(verb: "Token") -> bool:
    return any(t.lower_ in {"was", "were", "had", "did"} for t in auxiliaries(verb))
