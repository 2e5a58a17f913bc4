"""Models: neomodel's statement of the graph is the graph that ingest and search really make."""

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from neomodel import db

from api.ops import core_memory, memories, search, sources, store, work
from api.ops.distilling import Distiller
from api.ops.memories import ChangeRequest, RememberRequest
from api.ops.search import SearchRequest
from api.ops.store import StoreRequest
from api.ops.work import Request
from extraction.facts.rules import RuleExtractor
from graphstore import models
from graphstore.session import Graph
from tests.graph.conftest import OWNER, Corpus, add_source, rows
from tests.graph.mails import maildir, message, with_file

DYNAMIC = ("vec_", "embed_error_", "count_")
"""Properties of embedding models and of outcomes by state: they are no fixed list."""
ROLES = {"Unembedded", "Queued", "Waiting", "Running", "Failed"}
"""Labels that say how a node stands, not what it is."""
PASSING = {
    *("removing", "error", "keeping", "kept_from"),
    *("removed_documents", "removed_chunks", "kept_documents", "kept_chunks"),
    *("worker", "token", "lease_until", "run_after", "finished_at"),
    *("dedup_key", "reason"),
}
"""Properties that are there while something is under way or has failed."""
MEMORY_LACKS = {
    *("message_id", "in_reply_to", "thread_key", "category", "archived_at", "rehearsed_at"),
}
"""Properties of messages and of texts that were handed over, and of memories that faded."""


@pytest.fixture
def full(corpus: Corpus) -> Corpus:
    """A graph in which every kind of node and edge of an ingest and a search is."""
    mail = add_source(corpus.garage, maildir(corpus.root.with_name("mail")), "mail")
    message(mail.root, "one")
    message(mail.root, "two", answers="one", references=("one",), day=2)
    with_file(mail.root, "plan")
    corpus.write("a.md", "---\nauthor: Ada Example <ada@example.org>\n---\n\nGauges. " * 80)
    corpus.write("b.md", "This text is unreadable to the embedder.")
    corpus.write("c.md", "")
    corpus.write("d.md", "The council bought a new pump in May 2026.")
    corpus.ingest()
    mail.ingest()
    corpus.embed()
    sources.set_up(corpus.garage)
    soon = corpus.garage.clock.now() + timedelta(days=9)
    said = RememberRequest("Gauges are read.", evidence=("notes:a.md",), expires_at=soon)
    memory = memories.remember(corpus.garage, OWNER, said).memory
    memories.update(corpus.garage, OWNER, memory.uid, ChangeRequest(text="Gauges are red."))
    store.store(corpus.garage, OWNER, StoreRequest("Whole minutes of the meeting on gauges."))
    reading = replace(corpus.garage, handlers=(Distiller(RuleExtractor()),))
    work.work(reading, OWNER, Request())
    core_memory.edit(corpus.garage, OWNER, "user", "Reads gauges.")
    search.search(corpus.garage, OWNER, SearchRequest("gauges"))
    return corpus


def fixed(keys: list[str]) -> set[str]:
    return {key for key in keys if not key.startswith(DYNAMIC)}


def properties(kind: type) -> set[str]:
    stated = kind.defined_properties(aliases=False, rels=False)  # type: ignore[attr-defined] - of neomodel
    return {each.get_db_property_name(name) for name, each in stated.items()}


@pytest.mark.req("RUN-3")
def test_labels_and_properties_are_those_of_a_real_graph(full: Corpus) -> None:
    query = (
        "MATCH (n) UNWIND keys(n) AS key RETURN labels(n) AS labels, collect(DISTINCT key) AS keys"
    )
    found: dict[frozenset[str], set[str]] = {}
    for row in rows(full.garage.graph, query):
        labels = frozenset(row["labels"]) - ROLES  # type: ignore[arg-type] - a list of text
        found.setdefault(labels, set()).update(fixed(row["keys"]))  # type: ignore[arg-type] - as above
    stated = {frozenset(kind.inherited_labels()): properties(kind) for kind in models.NODES}
    # Until knowledge is extracted, whoever is an entity is an author.
    del stated[frozenset({"Entity"})]
    assert found.keys() == stated.keys()
    for labels, keys in stated.items():
        absent = PASSING | MEMORY_LACKS if "Memory" in labels else PASSING
        assert found[labels] | (absent & keys) == keys, sorted(labels)


@pytest.mark.req("RUN-3")
def test_edges_their_ends_and_properties_are_those_of_a_real_graph(full: Corpus) -> None:
    query = """
    MATCH (a)-[r]->(b)
    RETURN DISTINCT type(r) AS type, labels(a) AS a, labels(b) AS b, keys(r) AS keys
    """
    stated: dict[str, tuple[type, type, set[str]]] = {}
    for kind in models.NODES:
        for each in kind.defined_properties(aliases=False, properties=False).values():
            made = each.build_manager(kind, "edge").definition
            edge = properties(made["model"]) if made["model"] else set()
            # An author inherits the edges of an entity, a memory those of a document.
            stated.setdefault(made["relation_type"], (kind, made["node_class"], edge))
    found = rows(full.garage.graph, query)
    assert {row["type"] for row in found} == set(stated)
    for row in found:
        start, end, keys = stated[str(row["type"])]
        assert start.__name__ in row["a"]  # type: ignore[operator] - a list of text
        assert end.__name__ in row["b"]  # type: ignore[operator] - a list of text
        assert set(row["keys"]) == keys  # type: ignore[call-overload] - as above


@pytest.mark.req("RUN-3")
def test_single_uniqueness_is_that_of_the_schema(graph: Graph) -> None:
    query = "SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties"
    with graph.driver.session(database=graph.database) as session:
        shown = session.run(query).data()  # without CYPHER 25, which a SHOW does not need
    unique = {
        (row["labelsOrTypes"][0], row["properties"][0])
        for row in shown
        if row["type"] == "NODE_PROPERTY_UNIQUENESS" and len(row["properties"]) == 1
    }
    stated = {
        (next(c.__name__ for c in reversed(kind.__mro__) if name in vars(c)), name)
        for kind in models.NODES
        for name, each in kind.defined_properties(aliases=False, rels=False).items()
        if each.unique_index
    }
    assert unique == stated


@pytest.mark.req("RUN-3")
def test_a_notebook_reads_documents_through_the_driver_of_the_store(full: Corpus) -> None:
    db.set_connection(driver=full.garage.graph.driver)
    document = models.Document.nodes.get(uri="notes:a.md")
    assert document.class_ == "document"
    assert document.mtime.tzinfo is not None
    assert [author.name for author in document.authored_by.all()] == ["Ada Example"]  # type: ignore[attr-defined] - a manager, once bound
    assert len(document.has_chunk.all()) == document.chunks  # type: ignore[attr-defined] - as above


@pytest.mark.req("RUN-3")
def test_importing_the_models_connects_to_nothing_and_reads_no_setting(tmp_path: Path) -> None:
    code = (
        "import socket, os\n"
        "def refuse(*_): raise SystemExit('it opens a connection')\n"
        "socket.socket.connect = refuse\n"
        "os.environ['NEOMODEL_DATABASE_URL'] = 'no address at all'\n"
        "import graphstore.models\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
