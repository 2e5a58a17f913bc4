"""Two at once: of two versions of a file that are ingested together, one is there, whole."""

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest

from api.ops import ingest
from api.ops.garage import Garage, Stop
from api.ops.ingest import Progress, Request
from api.ops.runs import Runs
from extraction.candidates import Loaded
from extraction.gitlog import Written
from extraction.readers import Readers
from graphstore.outcomes import Run
from graphstore.records import Draft, Source
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import OWNER, Corpus, rows

ROUNDS = 50


class OneVersion:
    """Readers that find one version of the file, whatever is on the disk by now."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self.text = ""

    def read(
        self, loaded: Loaded, source: Source, written: Written | None
    ) -> Iterator[tuple[Draft, ...]]:
        data = self.text.encode()
        version = replace(loaded, data=data, sha256=hashlib.sha256(data).hexdigest())
        return self._readers.read(version, source, written)


def text(number: int, version: str) -> str:
    """Return a text whose versions share some paragraphs and differ in others, and in length."""
    parts = [
        f"## Part {part}\n\n"
        + f"Part {part} of {version if part % 2 else 'both'} tells of gauges. " * 30
        for part in range(3 + (number + (version == "one")) % 3)
    ]
    return f"---\nauthor: Author {version}\n---\n\n# Round {number}\n\n" + "\n\n".join(parts)


def assert_whole(graph: Graph, versions: dict[str, str]) -> None:
    """Check that the graph holds exactly one of the versions, in one piece."""
    chunks = rows(
        graph,
        "MATCH (d:Document)-[:HAS_CHUNK]->(c) RETURN c.uid AS uid, c.text AS text, "
        "c.ordinal AS ordinal, c.start AS start, c.end AS end ORDER BY ordinal",
    )
    stored = "".join(str(chunk["text"]) for chunk in chunks)
    (version,) = (name for name, whole in versions.items() if stored == whole)
    assert [chunk["ordinal"] for chunk in chunks] == list(range(len(chunks)))
    (document,) = rows(graph, "MATCH (d:Document) RETURN d.chunks AS n, d.content_sha256 AS sha")
    assert document == {"n": len(chunks), "sha": hashlib.sha256(stored.encode()).hexdigest()}
    uids = [chunk["uid"] for chunk in chunks]
    links = rows(graph, "MATCH (c)-[:NEXT]->(n) RETURN c.uid AS a, n.uid AS b ORDER BY c.ordinal")
    assert [(link["a"], link["b"]) for link in links] == list(pairwise(uids))
    assert rows(graph, "MATCH (c:Chunk) RETURN count(c) AS n") == [{"n": len(chunks)}]
    people = rows(graph, "MATCH (d)-[:AUTHORED_BY]->(a:Author) RETURN a.name AS name")
    assert people == [{"name": f"Author {version}"}]
    assert rows(graph, "MATCH (a:Author|Alias) RETURN count(a) AS n") == [{"n": 2}]


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C51")
@pytest.mark.timeout(600)
def test_two_runs_over_two_versions_of_a_file_never_leave_a_mix(
    corpus: Corpus, readers: Readers, neo4j_server: Connection
) -> None:
    file = corpus.write("a.md", "# The file")
    start = threading.Barrier(2)

    def run(garage: Garage) -> Run:
        # Both know the graph as it was before either wrote.
        def report(progress: Progress) -> None:
            if progress.done == 0 and progress.path:
                start.wait(60)

        record = ingest.new_run(garage, OWNER, "notes", "tests")
        return ingest.ingest(garage, OWNER, Request(record, False, report, Stop()))

    with Graph(neo4j_server) as one, Graph(neo4j_server) as two, ThreadPoolExecutor(2) as threads:
        garages = [
            replace(corpus.garage, graph=graph, readers=OneVersion(readers))  # type: ignore[arg-type] - reads as Readers do
            for graph in (one, two)
        ]
        for number in range(ROUNDS):
            versions = {name: text(number, name) for name in ("one", "two")}
            for garage, version in zip(garages, versions.values(), strict=True):
                garage.readers.text = version  # type: ignore[attr-defined] - a OneVersion
            file.write_text(f"# The file of round {number}")
            for done in threads.map(run, garages):
                assert (done.state, done.counts["stored"]) == ("done", 1)
            assert_whole(corpus.garage.graph, versions)


class Broken:
    """Readers with a fault that nobody foresaw."""

    def read(self, *_: object) -> object:
        raise RuntimeError("a fault of ours")


@pytest.mark.req("SRC-8")
def test_a_run_that_dies_of_a_fault_tells_its_followers_and_frees_its_source(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: reported.append(told.exc_value))
    corpus.write("a.md", "A note.")
    broken = Runs(corpus.with_garage(readers=Broken()).garage, "tests")
    run = broken.start(OWNER, "notes")
    *_, ended = broken.follow(run.uid)
    assert isinstance(ended, Run)
    assert ended.state == "failed"
    broken.close()
    assert [str(each) for each in reported] == ["a fault of ours"]
    assert not broken.is_busy
    assert broken.start(OWNER, "notes").uid != run.uid
    broken.close()
