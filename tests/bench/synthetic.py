"""Synthetic chunks: clustered vectors of 24 dimensions and texts of a small vocabulary.

Clustered, because vectors of real texts are; few dimensions, because recall is harder to lose in
many. The same numbers give the same corpus.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphstore.lucene import class_key, source_key, trust_key
from graphstore.records import ChunkDraft, Draft
from tests.words import WordEmbedder

DIMENSIONS = 24
CLUSTERS = 400
WORDS = 120
"""Words of a chunk."""
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_VOCABULARY = 20_000


class Given(WordEmbedder):
    """Searches with the vector that the query names by its number."""

    def __init__(self, queries: NDArray[np.float32]) -> None:
        super().__init__("given", queries.shape[1])
        self._queries = queries

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._queries[int(text.split()[0])]


@dataclass(frozen=True)
class Synthetic:
    """A corpus of `size` chunks."""

    vectors: NDArray[np.float32]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, size: int, dimensions: int = DIMENSIONS) -> "Synthetic":
        dice = np.random.default_rng(7)
        centres = dice.normal(size=(CLUSTERS, dimensions))
        near = centres[dice.integers(0, CLUSTERS, size)] + 0.35 * dice.normal(
            size=(size, dimensions)
        )
        unit = near / np.linalg.norm(near, axis=1, keepdims=True)
        # As words are: few of them often, most of them seldom.
        numbers = np.minimum(dice.zipf(1.3, (size, WORDS)), _VOCABULARY)
        texts = tuple(" ".join(f"w{number}" for number in line) for line in numbers.tolist())
        return cls(unit.astype(np.float32), texts)

    def queries(self, number: int) -> NDArray[np.float32]:
        """Return vectors near some chunks, each another one."""
        dice = np.random.default_rng(11)
        places = dice.choice(len(self.texts), number, replace=False)
        near = self.vectors[places] + 0.1 * dice.normal(size=(number, self.vectors.shape[1]))
        return (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)

    def documents(self, chunks: int) -> Iterator[tuple[Draft, tuple[ChunkDraft, ...]]]:
        """Yield documents of so many chunks each."""
        for first in range(0, len(self.texts), chunks):
            yield _document(first, self.texts[first : first + chunks])

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain row a chunk, its vector included: what a bare driver would write."""
        return [
            {"uid": f"c{place}", "properties": _plain(place, text), "vector": vector}
            for place, (text, vector) in enumerate(
                zip(self.texts, self.vectors.tolist(), strict=True)
            )
        ]


def _plain(place: int, text: str) -> dict[str, Any]:
    """Return the properties that a stored chunk has."""
    return {
        "document_uid": f"d{place // 100}",
        "ordinal": place % 100,
        "start": 0,
        "end": len(text),
        "text": text,
        "context": f"Document {place // 100}",
        "context_source": "heuristic",
        "heading": "",
        "identifiers": "",
        "tokens": WORDS,
        "content_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "class": "document",
        "trust": "authored",
        "source": "scale",
        "category": "",
        "source_key": source_key("scale"),
        "class_key": f"{class_key('document')} {trust_key('authored')}",
        "created_at": MOMENT,
    }


def _document(number: int, texts: tuple[str, ...]) -> tuple[Draft, tuple[ChunkDraft, ...]]:
    whole = "".join(texts)
    ends = np.cumsum([len(text) for text in texts]).tolist()
    pieces = tuple(
        ChunkDraft(
            ordinal=place,
            start=ends[place] - len(text),
            end=ends[place],
            text=text,
            context=f"Document {number}",
            heading="",
            identifiers="",
            tokens=WORDS,
            content_sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for place, text in enumerate(texts)
    )
    draft = Draft(
        uri=f"scale:{number}.txt",
        path=f"{number}.txt",
        title=f"Document {number}",
        text=whole,
        form="text",
        mime="text/plain",
        language="und",
        corpus_class="document",
        trust="authored",
        content_sha256=hashlib.sha256(whole.encode()).hexdigest(),
        bytes=len(whole),
        mtime=MOMENT,
    )
    return draft, pieces
