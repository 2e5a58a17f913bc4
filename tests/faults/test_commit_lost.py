"""C36: the reply to a commit is lost; whatever was written is there, and there once."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import neo4j
import pytest

from api.ops import search, sources
from api.ops.search import SearchRequest
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.session import Graph
from graphstore.settings import Connection
from graphstore.watch import Patience
from tests.faults import story
from tests.faults.fingerprint import differences, lines
from tests.faults.orphans import orphans
from tests.faults.proxy import Fault, LossyProxy, between
from tests.faults.story import OWNER, Telling
from tests.graph.conftest import empty, rows

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

_WORK = (
    "CALL () { MATCH (a:Activity) RETURN 'log' AS kind, a.verb + ' ' + "
    "toString(coalesce(a.count_added, a.count_documents, 0)) AS what "
    "UNION ALL MATCH (r:IngestRun) RETURN 'run' AS kind, r.source + ' ' + r.state AS what "
    "UNION ALL MATCH (e:SearchEvent) RETURN 'search' AS kind, e.query + ' ' + "
    "toString(COUNT { (e)-[:RETURNED]->() }) AS what "
    "UNION ALL MATCH (m:EmbeddingModel) RETURN 'model' AS kind, m.slug + ' ' + m.state AS what } "
    "RETURN kind, what, count(*) AS number ORDER BY kind, what"
)


class HastyGraph(Graph):
    """Gives each call some seconds, so that a silent connection costs no minute."""

    @contextmanager
    def _watched(self, access: str, limit_s: float) -> Generator[neo4j.Session]:
        with super()._watched(access, min(limit_s, 12.0)) as session:
            yield session


@dataclass(frozen=True)
class Written:
    """What a telling left, in the middle and at its end."""

    lines: tuple[str, ...]
    work: list[dict[str, Any]]
    after_removal: tuple[str, ...]


def told(graph: Graph, folder: Path, watching: Graph) -> Written:
    """Write everything that can be written, through `graph`."""
    with Readers(ReadingSettings()) as readers:
        for chapter in story.CHAPTERS:
            story.turn_to(folder, chapter)
            runs = story.tell(Telling(graph, readers, folder))
            assert [run.state for run in runs] == ["done", "done"]
        garage = story.garage_of(Telling(graph, readers, folder))
        assert search.search(garage, OWNER, SearchRequest("the old weir")).hits
        said = lines(watching)
        assert orphans(watching) == {}
        sources.remove(garage, OWNER, "notes")
        assert orphans(watching) == {}
    return Written(said, rows(watching, _WORK), lines(watching))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of every telling: their times are part of what is written."""
    made = tmp_path_factory.mktemp("corpus")
    story.write(made)
    return made


@pytest.fixture(scope="module")
def peace(migrated: Graph, corpus: Path) -> Written:
    """What is written when nothing is lost."""
    empty(migrated)
    return told(migrated, corpus, migrated)


@pytest.mark.campaign("C36")
@pytest.mark.req("SRC-8")
@pytest.mark.parametrize(
    ("fault", "is_meant"),
    [
        # Each write is lost once: its second try comes next.
        pytest.param("cut", lambda number: number % 2 == 1, id="committed, and not told"),
        pytest.param("drop", lambda number: number % 2 == 1, id="not committed, and not told"),
        pytest.param("swallow", lambda number: number % 11 == 5, id="silence for ever"),
    ],
)
def test_a_commit_whose_reply_is_lost_is_there_once_for_every_kind_of_write(
    peace: Written,
    graph: Graph,
    neo4j_server: Connection,
    corpus: Path,
    fault: Fault,
    is_meant: Callable[[int], bool],
) -> None:
    proxy = LossyProxy(int(neo4j_server.uri.rpartition(":")[2]), fault, is_meant)
    with between(proxy):
        there = replace(neo4j_server, uri=f"bolt://127.0.0.1:{proxy.port}")
        kind = HastyGraph if fault == "swallow" else Graph
        with kind(there, Patience(sign_s=60, grace_s=0)) as lossy:
            disturbed = told(lossy, corpus, graph)
    assert proxy.befallen >= 3
    assert differences(peace.lines, disturbed.lines) == ""
    assert disturbed.work == peace.work
    assert differences(peace.after_removal, disturbed.after_removal) == ""
