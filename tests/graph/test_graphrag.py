"""neo4j-graphrag at the edge: programs written for it can take a Garage for their retriever."""

from collections.abc import Sequence

import pytest

from api.ops import search
from api.ops.search import SearchRequest
from graphstore import embedding_models, graphrag
from graphstore.graphrag import GarageRetriever, Passage, QueryEmbedder
from tests.graph.conftest import OWNER, Corpus


def found_by(corpus: Corpus, query: str, k: int) -> Sequence[Passage]:
    result = search.search(corpus.garage, OWNER, SearchRequest(query, limit=k))
    return [Passage(hit.chunk_uid, hit.text, hit.score) for hit in result.hits]


@pytest.fixture
def filled(corpus: Corpus) -> Corpus:
    for number, subject in enumerate(("rivers", "boilers", "violins", "harvests")):
        corpus.write(f"{number}.md", f"A note about {subject} and nothing else.")
    corpus.ingest()
    corpus.embed()
    return corpus


@pytest.mark.req("SEA-1")
def test_a_retriever_of_neo4j_graphrag_finds_what_search_finds(filled: Corpus) -> None:
    retriever = GarageRetriever(filled.garage.graph, lambda query, k: found_by(filled, query, k))
    found = retriever.search(query_text="violins (AND) other\\things", top_k=2)
    asked = found_by(filled, "violins (AND) other\\things", 2)
    assert [(item.content, item.metadata) for item in found.items] == [
        (hit.text, {"uid": hit.uid, "score": hit.score}) for hit in asked
    ]
    assert "violins" in str(found.items[0].content)


@pytest.mark.req("SEA-8")
def test_the_peer_of_the_benchmarks_searches_the_same_indexes(filled: Corpus) -> None:
    (embedder,) = filled.garage.embedders
    (model,) = embedding_models.listed(filled.garage.graph)
    embed = QueryEmbedder(lambda text: embedder.embed_query(text).tolist())
    find = graphrag.hybrid_peer(filled.garage.graph, model, embed.embed_query)
    assert "harvests" in find('harvests "AND', 3)[0].text
    assert find("()", 3) == ()
