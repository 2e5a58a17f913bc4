"""neo4j-graphrag at the edge: our embedder and our search as its types, its search as a peer.

A program written against that library can take a Garage for its retriever. Nothing of the product
runs through here; it takes most of a second to import.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import neo4j
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.retrievers import HybridRetriever
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from graphstore import lanes, lucene
from graphstore.embedding_models import EmbeddingModel
from graphstore.session import Graph


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that a search found."""

    uid: str
    text: str
    score: float


class QueryEmbedder(Embedder):
    """A function from a query to its vector, as neo4j-graphrag takes one."""

    def __init__(self, embed: Callable[[str], Sequence[float]]) -> None:
        super().__init__()
        self._embed = embed

    def embed_query(self, text: str) -> list[float]:
        """Return the vector that a query searches with."""
        return list(self._embed(text))


class GarageRetriever(Retriever):
    """Garage's own search, as a retriever: `search(query_text=…, top_k=…)`.

    Items hold the passage's text, and `uid` and `score` as metadata; best first.
    """

    # Garage refuses servers that are too old when it starts.
    VERIFY_NEO4J_VERSION = False

    def __init__(self, graph: Graph, find: Callable[[str, int], Sequence[Passage]]) -> None:
        super().__init__(graph.driver, graph.database)
        self._find = find

    def get_search_results(self, query_text: str, top_k: int = 5) -> RawSearchResult:
        """Find at most `top_k` passages for a text; any text is a query."""
        records = [
            neo4j.Record({"uid": found.uid, "text": found.text, "score": found.score})
            for found in self._find(query_text, top_k)
        ]
        return RawSearchResult(records=records)

    def get_result_formatter(self) -> Callable[[neo4j.Record], RetrieverResultItem]:
        """Return what makes an item of a record."""
        return _item


def hybrid_peer(
    graph: Graph, model: EmbeddingModel, embed: Callable[[str], Sequence[float]]
) -> Callable[[str, int], tuple[Passage, ...]]:
    """Return the library's hybrid search over our two indexes: the peer of `make bench`.

    It ranks by the better of the two lists' scores, each divided by its list's best. The query is
    escaped for Lucene by us: the library passes it on as it is.
    """
    retriever = HybridRetriever(
        graph.driver,
        model.chunk_index,
        lanes.TEXT_INDEX,
        return_properties=["uid", "text"],
        result_formatter=_hybrid_item,
        neo4j_database=graph.database,
    )

    def find(query: str, k: int) -> tuple[Passage, ...]:
        words = lucene.escaped(query)
        if not words:
            return ()
        found = retriever.search(query_text=words, query_vector=list(embed(query)), top_k=k)
        return tuple(_passage(item) for item in found.items)

    return find


def _item(record: neo4j.Record) -> RetrieverResultItem:
    metadata = {"uid": record["uid"], "score": record["score"]}
    return RetrieverResultItem(content=record["text"], metadata=metadata)


def _hybrid_item(record: neo4j.Record) -> RetrieverResultItem:
    node = record["node"]
    metadata = {"uid": node["uid"], "score": record["score"]}
    return RetrieverResultItem(content=node["text"], metadata=metadata)


def _passage(item: RetrieverResultItem) -> Passage:
    metadata: dict[str, Any] = item.metadata or {}
    return Passage(metadata["uid"], str(item.content), metadata["score"])
