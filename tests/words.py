"""A small real embedder for tests of the store: words to directions. It measures nothing."""

import hashlib
from collections.abc import Sequence

import numpy as np

from extraction.providers.base import CONTROL, Vector
from graphstore.errors import InvalidInput, Unavailable

DIMENSIONS = 64


class WordEmbedder:
    """Texts that share words point the same way. `is_down` and `spoiled` make it fail."""

    def __init__(self, slug: str = "words", dimensions: int = DIMENSIONS) -> None:
        self.name = f"test-{slug}"
        self.slug = slug
        self.provider = "test"
        self.dimensions = dimensions
        self.window = 512
        self.fingerprint = hashlib.sha256(slug.encode()).hexdigest()
        self.query_prefix = ""
        self.is_local = True
        self.low_confidence_cosine = 0.1
        self.is_down = False
        self.spoiled: dict[str, Vector] = {}
        self.embedded: list[str] = []

    def probe(self) -> None:
        pass

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        if self.is_down:
            raise Unavailable(f"{self.name} does not answer.")
        if "unreadable" in text:
            raise InvalidInput("This text cannot be embedded.")
        if text != CONTROL:
            self.embedded.append(text)
        for marker, vector in self.spoiled.items():
            if marker in text:
                return vector
        total = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            total[int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.dimensions] += 1
        return (total / np.linalg.norm(total)).astype(np.float32)
