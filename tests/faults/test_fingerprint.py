"""The measures themselves: the fingerprint and the doctor's queries notice what they must."""

from pathlib import Path

import pytest

from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.session import Graph
from tests.faults import story
from tests.faults.fingerprint import differences, fingerprint, lines, lines_in
from tests.faults.orphans import orphans, orphans_in
from tests.graph.conftest import empty, rows

pytestmark = pytest.mark.faults

UNNOTICED = (
    "MATCH (n:Document) SET n.updated_at = datetime(), n.stamp = 99, n.ix = n.ix + 1000",
    "MATCH (a:Activity) DETACH DELETE a",
    "MATCH (n:Document) WITH n, n.uid AS was SET n.uid = 'x' + was WITH n, was "
    "CALL (n, was) { MATCH (c:Chunk {document_uid: was}) SET c.document_uid = n.uid } "
    "CALL (n, was) { MATCH ()-[t {document_uid: was}]->() SET t.document_uid = n.uid } "
    "MATCH (a:Document)-[t]->(b) WHERE t.uid IS NOT NULL "
    "SET t.uid = a.uid + ':' + type(t) + ':' + b.uid",
)
NOTICED = {
    "a missing chunk": ("MATCH (c:Chunk {ordinal: 2}) DETACH DELETE c", "doctor/chunk_counts"),
    "a missing last chunk": (
        "MATCH (d:Document {path: 'long.md'})-[:HAS_CHUNK]->(c) WITH d, c ORDER BY c.ordinal DESC "
        "LIMIT 1 DETACH DELETE c SET d.chunks = d.chunks - 1",
        "doctor/chunk_gaps",
    ),
    "a missing document": ("MATCH (d:Document {path: 'boat.md'}) DETACH DELETE d", ""),
    "a changed text": ("MATCH (c:Chunk {ordinal: 2}) SET c.text = c.text + ' '", ""),
    "a missing author": ("MATCH ()-[a:AUTHORED_BY]->() WITH a LIMIT 1 DELETE a", ""),
    "a missing link of a chain": (
        "MATCH ()-[n:NEXT]->() WITH n LIMIT 1 DELETE n",
        "doctor/broken_chains",
    ),
    "a missing vector": (
        "MATCH (c:Chunk {ordinal: 2}) SET c.vec_words = null",
        "doctor/embedding_marks",
    ),
    "a mark too many": ("MATCH (c:Chunk {ordinal: 2}) SET c:Unembedded", "doctor/embedding_marks"),
    "another vector": (
        "MATCH (c:Chunk {ordinal: 2}) SET c.vec_words = [x IN c.vec_words | x + 0.01]",
        "",
    ),
    "a doubled node": (
        "MATCH (c:Chunk {ordinal: 2}) "
        "CREATE (:Chunk {uid: 'double', ordinal: c.ordinal, text: c.text, source: c.source})",
        "doctor/chunks_without_document",
    ),
    "a doubled edge": (
        "MATCH (d)-[:FROM]->(s) WITH d, s LIMIT 1 CREATE (d)-[:FROM]->(s)",
        "doctor/documents_without_source",
    ),
    "a document of no source": (
        "MATCH (d:Document {path: 'boat.md'})-[f:FROM]->() DELETE f",
        "doctor/documents_without_source",
    ),
    "a chunk of another class": (
        "MATCH (c:Chunk {ordinal: 2}) SET c.class = 'communication'",
        "doctor/chunk_copies",
    ),
    "a name of nobody": ("CREATE (:Alias {key: 'nobody', text: 'Nobody'})", "doctor/stray_names"),
    "an identity of nobody": (
        "CREATE (:Identity {key: 'email:no@example.org'})",
        "doctor/stray_names",
    ),
    "a person whom nothing mentions": (
        "MATCH (e:Author)<-[a:AUTHORED_BY]-() WHERE e.name = 'Cy Reed' DELETE a",
        "doctor/stray_persons",
    ),
    "a triple of another document": (
        "MATCH ()-[a:AUTHORED_BY]->() WITH a LIMIT 1 SET a.document_uid = 'other'",
        "doctor/stray_triples",
    ),
    "a file that nothing tells of": (
        "MATCH (o:Outcome {path: 'boat.md'}) DELETE o",
        "doctor/documents_without_outcome",
    ),
    "a file that tells of more": (
        "MATCH (o:Outcome {path: 'boat.md'}) SET o.documents = 2",
        "doctor/outcome_counts",
    ),
}  # fmt: skip


def told(graph: Graph, folder: Path) -> None:
    story.turn_to(folder, 1)
    with Readers(ReadingSettings()) as readers:
        story.tell(story.Telling(graph, readers, folder))


def test_two_tellings_of_one_story_have_one_fingerprint(graph: Graph, folder: Path) -> None:
    told(graph, folder)
    first, said = fingerprint(graph), lines(graph)
    assert orphans(graph) == {}
    empty(graph)
    told(graph, folder)
    assert differences(said, lines(graph)) == ""
    assert fingerprint(graph) == first


def test_times_and_ids_are_not_part_of_it(graph: Graph, folder: Path) -> None:
    told(graph, folder)
    before = lines(graph)
    for change in UNNOTICED:
        rows(graph, change)
        assert differences(before, lines(graph)) == "", change


def test_everything_that_counts_is_noticed(graph: Graph, folder: Path) -> None:
    told(graph, folder)
    before = lines(graph)
    with graph.driver.session(database=graph.database) as session:
        for name, (change, query) in NOTICED.items():
            with session.begin_transaction() as undone:
                undone.run("CYPHER 25 " + change).consume()  # type: ignore[arg-type] - text of a test
                assert differences(before, lines_in(undone)) != "", name
                assert not query or query in orphans_in(undone), name
                undone.rollback()
    assert differences(before, lines(graph)) == ""
