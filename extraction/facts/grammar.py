"""Grammar of a parsed sentence: who does what in it. Only dependency labels are asked."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_NOT_OF_THE_PHRASE: Final = frozenset(
    {*("appos", "relcl", "acl", "conj", "cc", "punct", "preconj", "parataxis", "advcl", "intj")}
)
_CARRIERS: Final = frozenset({"relcl", "acl", "conj", "xcomp", "ROOT", "ccomp", "advcl", "pcomp"})
_MOST_WORDS: Final = 14
_OBJECT_CONTROL: Final = frozenset(
    {*("ask", "tell", "want", "help", "get", "let", "allow", "expect", "invite", "order", "advise")}
)


def children(token: "Token", *labels: str) -> list["Token"]:
    """Return what hangs on a token by one of these labels, in order."""
    return [child for child in token.children if child.dep_ in labels]


def child(token: "Token", *labels: str) -> "Token | None":
    """Return the first of `children`."""
    return next(iter(children(token, *labels)), None)


def is_verb(token: "Token") -> bool:
    """Say whether a token can carry a statement."""
    return token.pos_ in {"VERB", "AUX"} and token.dep_ not in {"aux", "auxpass"}


def verbs(sentence: Iterable["Token"]) -> Iterator["Token"]:
    """Yield the tokens of a sentence that carry a statement."""
    yield from (t for t in sentence if is_verb(t) and t.dep_ in _CARRIERS)


def group(head: "Token") -> list["Token"]:
    """Return a noun and the nouns joined to it by `and` or `or`, in order."""
    found = [head]
    for token in found:  # grows while it is walked: conjuncts hang on one another
        found.extend(t for t in children(token, "conj") if t.pos_ not in {"VERB", "AUX"})
    return sorted(found, key=lambda token: token.i)


def is_alternative(head: "Token") -> bool:
    """Say whether nouns are joined by `or`: which of them is meant is not said."""
    return any(t.lower_ in {"or", "nor"} for noun in group(head) for t in children(noun, "cc"))


def whole(head: "Token") -> list["Token"]:
    """Return a noun phrase with all that is joined to it."""
    nouns = group(head)
    words = {word for noun in nouns for word in phrase(noun)}
    joints = {t for noun in nouns for t in children(noun, "cc", "preconj")}
    return sorted(words | joints, key=lambda token: token.i)


def phrase(head: "Token") -> list["Token"]:
    """Return the words of a noun phrase: without clauses, appositions and what `and` adds."""
    words = _walk(head, _NOT_OF_THE_PHRASE)
    if len(words) > _MOST_WORDS:
        words = _walk(head, _NOT_OF_THE_PHRASE | {"prep"})
    return words[-_MOST_WORDS:]


def _walk(head: "Token", without: frozenset[str]) -> list["Token"]:
    words: list[Token] = []
    todo = [head]
    while todo:
        token = todo.pop()
        words.append(token)
        leave = without if token == head else without - {"conj", "cc"}
        todo.extend(
            t
            for t in token.children
            if (t.dep_ not in leave or _is_inside_name(t)) and not _is_relative(t)
        )
    return sorted(words, key=lambda token: token.i)


def _is_relative(token: "Token") -> bool:
    # `310 euros, of which …`: it points to another phrase.
    return token.tag_ in {"WDT", "WP", "WP$"} or (
        token.dep_ == "prep" and any(t.tag_ in {"WDT", "WP"} for t in token.children)
    )


def _is_inside_name(token: "Token") -> bool:
    # `sister Tilda`; `Ganning & Sons`, `2026-118`: no comma parts them, an ampersand joins them.
    if token.dep_ == "appos":
        return token.pos_ == "PROPN" and token.left_edge.i == token.head.i + 1
    if token.dep_ == "punct":
        return token.text in {"-", "–", "/", "'", "’"}
    if token.dep_ == "cc":
        return token.text == "&"
    return token.dep_ == "conj" and any(t.text == "&" for t in token.head.children)


def auxiliaries(verb: "Token") -> list["Token"]:
    """Return the auxiliaries of a verb; a verb joined to another shares that one's."""
    own = children(verb, "aux", "auxpass")
    shares = (
        not own
        and verb.dep_ == "conj"
        and is_verb(verb.head)
        and child(verb, *SUBJECTS) is None
        and verb.tag_ in {"VB", "VBN", "VBG"}
    )
    if not shares:
        return own
    inherited = auxiliaries(verb.head)
    # `has tested and is waiting`: only a verb of the same form has the same auxiliaries.
    return inherited if verb.tag_ == verb.head.tag_ or verb.tag_ == "VB" else []


def is_passive(verb: "Token") -> bool:
    """Say whether something is done to the subject."""
    if child(verb, "nsubjpass", "auxpass") is not None:
        return True
    if verb.dep_ == "acl":
        return verb.tag_ == "VBN"
    return verb.tag_ == "VBN" and any(t.dep_ == "auxpass" for t in auxiliaries(verb))


def subject(verb: "Token") -> "Token | None":
    """Return who or what a verb is about; None where the sentence does not say it."""
    for _ in range(6):  # each step goes up the tree; real sentences need two or three
        own = child(verb, *SUBJECTS)
        if own is not None:
            return _antecedent(own, verb)
        if verb.dep_ in {"relcl", "acl"}:
            return verb.head
        if verb.dep_ == "xcomp":
            controlled = child(verb.head, "dobj")
            if controlled is not None and verb.head.lemma_ in _OBJECT_CONTROL:
                return controlled
        elif verb.dep_ != "conj":
            return None
        if not is_verb(verb.head):
            return verb.head if verb.dep_ == "conj" and verb.head.dep_ in SUBJECTS else None
        verb = verb.head
    return None


def _antecedent(own: "Token", verb: "Token") -> "Token":
    relative = own.tag_ in {"WDT", "WP"} or (own.lower_ == "that" and verb.dep_ == "relcl")
    clause = verb
    while clause.dep_ == "conj" and is_verb(clause.head):
        clause = clause.head
    return clause.head if relative and clause.dep_ == "relcl" else own


def has_finite_verb(sentence: Iterable["Token"]) -> bool:
    """Say whether some verb of a sentence has a subject of its own."""
    return any(is_verb(t) and child(t, *SUBJECTS) is not None for t in sentence)


def is_past(verb: "Token") -> bool:
    """Say whether a verb tells of the past: whether it still holds, it does not say."""
    if verb.tag_ == "VBD" or (verb.dep_ == "acl" and verb.tag_ == "VBN"):
        return True
    if verb.dep_ == "xcomp" and is_verb(verb.head):
        return is_past(verb.head)
    helpers = auxiliaries(verb)
    is_modal = any(t.tag_ == "MD" for t in helpers)
    return not is_modal and any(t.lower_ in {"was", "were", "had", "did", "got"} for t in helpers)


def looks_back(verb: "Token") -> bool:
    """Say whether a date beside a verb lies in the past: also in `has moved`."""
    has = {"has", "have", "'ve", "’ve"}
    return is_past(verb) or any(t.lower_ in has for t in auxiliaries(verb))
