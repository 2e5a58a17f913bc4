"""Embedding: passages to vectors, one outcome each. No database, no transaction.

A bad passage is refused alone and says why; only an embedder that fails as a whole raises.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from extraction import egress
from extraction.providers.base import CONTROL, Embedder, Vector
from graphstore.errors import InvalidInput, Refused, Unavailable


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be embedded, and the class that says where it may go."""

    text: str
    """Context and text (`context.embedded_text`)."""
    corpus_class: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a passage has no vector; a sentence without text of the passage."""

    reason: str
    is_withheld: bool = False
    """True when the passage was not given to the embedder, for its class."""


Embedded: TypeAlias = Vector | Refusal


def check(vector: object, dimensions: int) -> str | None:
    """Return why `vector` may not be stored under a model of that width; None if it may."""
    if not isinstance(vector, np.ndarray):
        return f"The embedder gave {type(vector).__name__} instead of a vector."
    numbers = cast(NDArray[np.generic], vector)
    if not np.issubdtype(numbers.dtype, np.floating):
        return f"The embedder gave a vector of {numbers.dtype} instead of numbers."
    if numbers.shape != (dimensions,):
        width = " x ".join(map(str, numbers.shape)) or "no"
        return f"The embedder gave {width} dimensions instead of {dimensions}."
    if not np.isfinite(numbers).all():
        return "The embedder gave a vector with a number that is not finite."
    if not np.linalg.norm(cast(Vector, numbers)) > 0:
        return "The embedder gave a vector without a direction: all zero."
    return None


def embed(embedder: Embedder, passages: Sequence[Passage]) -> list[Embedded]:
    """Return the outcome of each passage, in order.

    Raises:
        Unavailable: the embedder fails as a whole; nothing is known of any passage.
    """
    withheld = [_withheld(passage, embedder) for passage in passages]
    allowed = [p.text for p, reason in zip(passages, withheld, strict=True) if reason is None]
    outcomes = iter(_outcomes(embedder, allowed))
    return [next(outcomes) if reason is None else reason for reason in withheld]


def require_well(embedder: Embedder) -> None:
    """Return when the embedder gives a vector of a harmless text.

    Raises:
        Unavailable: it does not, so that its refusals say nothing of the texts.
    """
    (outcome,) = _outcomes(embedder, [CONTROL])
    if isinstance(outcome, Refusal):
        message = f"{embedder.name} gives no vectors that can be used: {outcome.reason}"
        raise Unavailable(message, hint="Try another model, or repair its server.")


def _withheld(passage: Passage, embedder: Embedder) -> Refusal | None:
    try:
        egress.assert_may_send(passage.corpus_class, embedder)
    except Refused as refused:
        return Refusal(refused.message, is_withheld=True)
    return None


def _outcomes(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
    if not texts:
        return []
    try:
        vectors = embedder.embed_passages(texts)
    except InvalidInput as error:
        if len(texts) == 1:
            return [Refusal(error.message)]
        # One text spoils the call for the others: find it by giving each alone.
        return [outcome for text in texts for outcome in _outcomes(embedder, [text])]
    if len(vectors) != len(texts):
        raise Unavailable(
            f"{embedder.name} gave {len(vectors)} vectors for {len(texts)} texts.",
            hint="Run 'garage doctor' to test it.",
        )
    reasons = [check(vector, embedder.dimensions) for vector in vectors]
    return [
        vector if reason is None else Refusal(reason)
        for vector, reason in zip(vectors, reasons, strict=True)
    ]
