"""Wording: tokens of a parse as text again, with names in place of pronouns."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

_ARTICLE: Final = re.compile(r"^(?:a|an|the)\s+", re.I)
_LOOSE: Final = " \t\n\"“”„«»'‘’,;:.!?()[]{}*_-–—"
_NEVER_APART: Final = frozenset({",", ".", ";", ":", "!", "?", ")", "'s", "’s", "'", "’", "n't"})


def worded(tokens: Iterable["Token"], names: Mapping[int, str]) -> str:
    """Return tokens as text, in their order; `names` holds what stands for a token instead."""
    parts: list[str] = []
    last: Token | None = None
    for token in tokens:
        follows = last is not None and token.i == last.i + 1
        if last is not None and (last.whitespace_ if follows else token.text not in _NEVER_APART):
            parts.append(" ")
        parts.append(names.get(token.i, token.text))
        last = token
    return " ".join("".join(parts).split())


def bare(text: str) -> str:
    """Return a name without its article and without loose marks around it."""
    stripped = text.strip(_LOOSE)
    if text.rstrip().endswith(".") and re.search(r"\b[A-Z][a-z]{0,3}$", stripped):
        stripped += "."  # `Acme Inc.`
    return _ARTICLE.sub("", stripped)


def sentence(subject: str, rest: str) -> str:
    """Return a sentence that begins with a capital and ends with a full stop."""
    text = f"{subject} {rest}".strip().rstrip(" ,;:-–—.")
    return f"{text[:1].upper()}{text[1:]}."


def possessive(name: str) -> str:
    """Return a name with its `'s`; a plural has the apostrophe alone."""
    return f"{name}'" if name[-1:] == "s" and name[:1].islower() else f"{name}'s"


def third_person(verb: str) -> str:
    """Return a verb of the present as it follows a name."""
    irregular = {
        "are": "is",
        "am": "is",
        "'m": "is",
        "’m": "is",
        "have": "has",
        "'ve": "has",
        "’ve": "has",
    }
    if verb in irregular:
        return irregular[verb]
    if verb in {"will", "would", "can", "could", "may", "might", "must", "shall", "should"}:
        return verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def singular(words: Iterable["Token"], verb: "Token") -> dict[int, str]:
    """Return what stands for a verb's words when only one of its subjects is told."""
    finite = [t for t in words if t == verb or t.head == verb or verb.head == t]
    named = {t.i: third_person(t.lower_) for t in finite if t.tag_ == "VBP"}
    return {**named, **{t.i: "was" for t in finite if t.lower_ == "were"}}
