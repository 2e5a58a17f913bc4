"""Lucene: any text becomes a safe full-text query.

`db.index.fulltext.queryNodes` parses its parameter too, so every operator is escaped here and
nowhere else. Source, class and trust are terms of the query (`source_key`, `class_key`), so a
filter never loses a hit to a limit; they weigh nothing, so it never changes the order either.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

MAX_TERMS: Final = 64
"""More terms than these are cut: the lane stays, the query stays quick."""
_MAX_TERM: Final = 200

_SPECIAL: Final = re.compile(r'([+\-&|!(){}\[\]^"~*?:\\/])')
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_FIELDS: Final = ("text", "context", "identifiers")


def escaped(text: str) -> str:
    """Return `text` as Lucene terms without any syntax; empty when no term is left."""
    words = (word for word in text.split() if any(map(str.isalnum, word)))
    terms = [_term(word) for _, word in zip(range(MAX_TERMS), words, strict=False)]
    return " ".join(terms)


def query(
    text: str,
    *,
    sources: Sequence[str] = (),
    classes: Sequence[str] = (),
    trusts: Sequence[str] = (),
) -> str | None:
    """Return the query for `ft_chunk`, or None when `text` holds nothing to look for."""
    terms = escaped(text)
    if not terms:
        return None
    wanted = " ".join(f"{field}:({terms})" for field in _FIELDS)
    keys = (
        ("source_key", map(source_key, sources)),
        ("class_key", map(class_key, classes)),
        ("class_key", map(trust_key, trusts)),
    )
    filters = [f"+{field}:({' '.join(tokens)})^0" for field, tokens in _named(keys)]
    return " ".join([f"+({wanted})", *filters])


def source_key(slug: str) -> str:
    """Return a token for a source that no analyzer changes: its slug, hex-coded between letters."""
    return f"s0{slug.encode().hex()}0s"


def class_key(corpus_class: str) -> str:
    """Return a token for a corpus class that no analyzer changes."""
    return f"k0{corpus_class.encode().hex()}0k"


def trust_key(trust: str) -> str:
    """Return a token for a tier of trust that no analyzer changes; it stands in `class_key`."""
    return f"t0{trust.encode().hex()}0t"


def _named(keys: Iterable[tuple[str, Iterable[str]]]) -> Iterator[tuple[str, list[str]]]:
    for field, tokens in keys:
        if listed := list(tokens):
            yield field, listed


def _term(word: str) -> str:
    word = word[:_MAX_TERM]
    return word.lower() if word in _OPERATORS else _SPECIAL.sub(r"\\\1", word)
