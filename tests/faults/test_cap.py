"""C40: a document at the cap is stored whole, one that memory does not hold not at all."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from api.ops.settings import IngestSettings
from graphstore import documents, outcomes, schema, sources
from graphstore.clock import SystemClock, new_uid
from graphstore.documents import Unit, Writing
from graphstore.errors import TooLarge
from graphstore.journal import Activity
from graphstore.records import ChunkDraft, Draft, Outcome
from graphstore.server.process import ManagedServer
from graphstore.session import Graph
from graphstore.settings import ServerSettings
from graphstore.sources import SourceDraft
from tests.faults.orphans import orphans
from tests.graph.conftest import rows

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900), pytest.mark.campaign("C40")]

CAP = IngestSettings().max_chunks_per_document
_CHUNK = 1_024


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _passage(name: str, number: int) -> str:
    """Return 1 kB of text, of words that a full-text index must tell apart."""
    seed = int(_sha256(f"{name} {number}"), 16)
    words = " ".join(f"w{(seed >> shift) % 3000:04}" for shift in range(160))
    return f"{number} {words}".ljust(_CHUNK)[:_CHUNK]


def unit(name: str, chunks: int) -> Unit:
    """Return a document of so many chunks of 1 kB."""
    texts = [_passage(name, number) for number in range(chunks)]
    text = "".join(texts)
    pieces = tuple(
        ChunkDraft(
            ordinal=number,
            start=number * _CHUNK,
            end=(number + 1) * _CHUNK,
            text=each,
            context="A large book › One of its chapters",
            heading="One of its chapters",
            identifiers="get user name",
            tokens=200,
            content_sha256=_sha256(each),
        )
        for number, each in enumerate(texts)
    )
    draft = Draft(
        uri=f"books:{name}.txt",
        path=f"{name}.txt",
        title="A large book",
        text=text,
        form="text",
        mime="text/plain",
        language="en",
        corpus_class="document",
        trust="authored",
        content_sha256=_sha256(text),
        bytes=len(text),
        mtime=SystemClock().now(),
    )
    outcome = Outcome(draft.path, "stored", "", "stat", _sha256(text), 1, chunks)
    return Unit(((draft, pieces),), outcome, frozenset({draft.uri}))


def writing(graph: Graph, verb: str) -> Writing:
    now = SystemClock().now()
    return Writing("books", new_uid(), Activity(new_uid(), now, "tester", verb), now)


def add_source(graph: Graph) -> None:
    verb = writing(graph, "add-source").activity
    sources.put(graph, SourceDraft("books", "filesystem", "/books"), verb, SystemClock().now())


@pytest.mark.req("SRC-3")
def test_a_document_at_the_cap_is_stored_whole_under_the_shipped_settings(graph: Graph) -> None:
    add_source(graph)
    stored = documents.replace(graph, [unit("large", CAP)], writing(graph, "ingest"))
    assert (stored.documents, stored.chunks) == (1, CAP)
    (row,) = rows(
        graph,
        "MATCH (d:Document)-[:HAS_CHUNK]->(c) "
        "RETURN d.chunks AS said, count(c) AS chunks, max(c.ordinal) AS last",
    )
    assert row == {"said": CAP, "chunks": CAP, "last": CAP - 1}
    assert orphans(graph) == {}


def test_a_document_that_one_transaction_does_not_hold_is_refused_and_leaves_nothing(
    jar_cache: Path, tmp_path: Path
) -> None:
    small = replace(ServerSettings(), heap_mb=256, pagecache_mb=32)
    server = ManagedServer(tmp_path / "home", jar_cache, small, os.environ, lambda _: None)
    try:
        with Graph(server.start()) as graph:
            schema.apply(graph, SystemClock())
            add_source(graph)
            documents.replace(graph, [unit("small", 20)], writing(graph, "ingest"))
            before = graph.read("graph/counts")
            with pytest.raises(TooLarge, match=r"more memory.*neo4j\.heap_mb"):
                documents.replace(graph, [unit("large", CAP)], writing(graph, "ingest"))
            assert graph.read("graph/counts") == before
            assert set(outcomes.known(graph, "books")) == {"small.txt"}
            assert orphans(graph) == {}
            # Nothing else is stopped by it.
            documents.replace(graph, [unit("next", 20)], writing(graph, "ingest"))
            assert server.is_alive()
    finally:
        server.stop()
