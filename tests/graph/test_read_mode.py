"""Reading: a read that would write is refused by the server, and nothing is fetched."""

import socket

import neo4j
import pytest
from neo4j.exceptions import ClientError, Neo4jError

from api.ops import search
from api.ops.search import SearchRequest
from graphstore.session import Graph
from tests.graph.conftest import OWNER, Corpus, rows

PLANTED = {
    "sources/put": {"slug": "planted", "properties": {}, "standing": "added", "now": None},
    "sources/mark_removing": {"slug": "notes", "keeps": False},
    "documents/remove": {"uids": ["any"]},
    "chunks/unembed": {"uids": ["any"]},
    "journal/put": {"uid": "planted", "properties": {}, "touched": []},
    "graph/advance": {"count": 1},
    "jobs/claim": {"kinds": ["any"], "skip": 0, "worker": "any", "token": "any", "lease_s": 1},
}
"""Writing statements of ours, run as if they read."""
EVERYTHING = "MATCH (n) RETURN count(n) AS nodes, sum(size(keys(n))) AS keys"


@pytest.mark.campaign("C23")
@pytest.mark.parametrize("name", PLANTED)
def test_a_write_planted_in_a_read_is_refused_by_the_server(corpus: Corpus, name: str) -> None:
    before = rows(corpus.garage.graph, EVERYTHING)
    with pytest.raises(Neo4jError) as refused:
        corpus.garage.graph.read(name, **PLANTED[name])
    assert refused.value.gql_status == "08N03"
    assert rows(corpus.garage.graph, EVERYTHING) == before


@pytest.mark.campaign("C23")
@pytest.mark.parametrize("scheme", ["http", "https", "ftp"])
def test_a_fetch_planted_in_a_read_reaches_nobody(graph: Graph, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        address = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/x.csv"
        query = "CYPHER 25 LOAD CSV FROM $address AS line RETURN line"
        with (
            graph.driver.session(default_access_mode=neo4j.READ_ACCESS) as session,
            pytest.raises(ClientError),
        ):
            session.run(query, address=address).consume()
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.campaign("C23")
def test_code_in_a_search_is_looked_for_and_not_run(corpus: Corpus) -> None:
    corpus.write("a.md", "Cypher such as MATCH (n) DETACH DELETE n is dangerous.")
    corpus.ingest()
    corpus.embed()
    before = rows(corpus.garage.graph, "MATCH (n:!SearchEvent) RETURN count(n) AS n")
    found = search.search(
        corpus.garage, OWNER, SearchRequest("'}) MATCH (n) DETACH DELETE n // dangerous")
    )
    assert [hit.path for hit in found.hits] == ["a.md"]
    assert rows(corpus.garage.graph, "MATCH (n:!SearchEvent) RETURN count(n) AS n") == before
