"""Settings of embedding. `api.settings` fills them; defaults here are the shipped ones."""

from dataclasses import dataclass
from typing import Annotated, Final

from annotated_types import Interval, MinLen

from graphstore.limits import OneOf

MODELS: Final = ("bge-small-en-v1.5", "all-MiniLM-L6-v2")
"""The built-in models, by name; `extraction.providers.builtin` has the rest of them."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which models turn text into vectors, and how much of the machine they take."""

    models: Annotated[tuple[Annotated[str, OneOf(MODELS)], ...], MinLen(1)] = ("bge-small-en-v1.5",)
    """Names of the embedding models; the first one also embeds queries."""
    threads: Annotated[int, Interval(ge=1, le=256)] = 1
    """Processor threads of each built-in model."""
