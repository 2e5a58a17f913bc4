"""What every embedder promises, wherever it runs."""

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]

CONTROL: Final = "The gauge at the old bridge."
"""A harmless text: a model that gives no vector of it is ill, whatever the text before was."""


class Embedder(Protocol):
    """Turns texts into vectors. Safe to share between threads."""

    @property
    def name(self) -> str:
        """The model's name, as settings and the graph know it."""
        ...

    @property
    def slug(self) -> str:
        """Names its vector property and its indexes."""
        ...

    @property
    def provider(self) -> str:
        """The provider that runs it."""
        ...

    @property
    def low_confidence_cosine(self) -> float:
        """Below this cosine the best passage is a guess."""
        ...

    @property
    def dimensions(self) -> int:
        """Width of every vector; 0 until `probe` has found out."""
        ...

    @property
    def window(self) -> int:
        """Tokens that are read, special tokens included; what follows is not seen."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of the weights, hex: another fingerprint is another model, never mixed.

        Empty until `probe` has found out; it changes when a server changes the model.
        """
        ...

    @property
    def query_prefix(self) -> str:
        """What `embed_query` puts before a query, by the model's convention."""
        ...

    @property
    def is_local(self) -> bool:
        """False when texts leave this machine."""
        ...

    def probe(self) -> None:
        """Find out who the model is now: its width and fingerprint.

        Raises:
            Unavailable: it cannot be asked, or does not give vectors.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Count tokens without the special ones, also beyond the window."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order; the same text gives the same vector.

        Raises:
            InvalidInput: one of the texts cannot be embedded.
            Unavailable: no text can be embedded now.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector that a query searches with. Raises like `embed_passages`."""
        ...
