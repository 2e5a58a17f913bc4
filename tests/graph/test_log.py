"""Log: every write says who did what and how much, once, and never holds text of it."""

import json
from dataclasses import replace

import pytest

from api.ops import backfill, sources, stats
from api.ops.garage import Caller, Stop
from api.ops.settings import MaintenanceSettings
from api.ops.sources import SourceRequest
from graphstore.errors import InvalidInput
from graphstore.journal import Activity
from tests.graph.conftest import OWNER, Corpus, rows

MARKER = "quicksilver"


def news(corpus: Corpus, seen: set[str]) -> list[Activity]:
    """Return the entries since the last look, newest first."""
    found = [each for each in stats.log(corpus.garage, limit=500) if each.uid not in seen]
    seen |= {each.uid for each in found}
    return found


@pytest.mark.req("LOG-1")
def test_each_write_leaves_one_entry_with_its_actor_and_counts(corpus: Corpus) -> None:
    seen: set[str] = set()
    added, registered = news(corpus, seen)
    assert (registered.actor, registered.verb) == ("garage", "register-model")
    assert (added.actor, added.verb, added.targets) == ("tester", "add-source", ("source:notes",))
    assert added.counts == {"added": 1, "changed": 0}
    corpus.write("a.md", f"---\nauthor: Ada\n---\n\n# {MARKER}\n\nA note.")
    corpus.write("b.md", "Another note.")
    run = corpus.ingest()
    (ingested,) = news(corpus, seen)
    assert (ingested.actor, ingested.verb) == ("tester", "ingest")
    assert run.uid in ingested.reason
    assert (ingested.counts["documents"], ingested.counts["chunks"]) == (2, 2)
    touched = "MATCH (:Activity {uid: $uid})-[:TOUCHED]->(d) RETURN d.uid AS uid"
    uids = {
        f"document:{row['uid']}" for row in rows(corpus.garage.graph, touched, uid=ingested.uid)
    }
    assert uids == set(ingested.targets)
    assert corpus.ingest().counts == {"unchanged": 2}
    assert news(corpus, seen) == []
    (corpus.root / "b.md").unlink()
    corpus.ingest()
    (gone,) = news(corpus, seen)
    assert (gone.verb, gone.counts["removed_documents"]) == ("reconcile", 1)
    other = Caller("somebody", "mcp")
    sources.add(corpus.garage, other, SourceRequest("notes", str(corpus.root), ignore=("x",)))
    (changed,) = news(corpus, seen)
    assert (changed.actor, changed.counts) == ("somebody", {"added": 0, "changed": 1})
    sources.remove(corpus.garage, OWNER, "notes", "no longer wanted")
    (removed,) = news(corpus, seen)
    assert (removed.verb, removed.reason) == ("remove-source", "no longer wanted")
    assert removed.counts == {"documents": 1, "chunks": 1}


@pytest.mark.req("LOG-1")
def test_a_new_model_and_its_vectors_leave_one_entry_each(corpus: Corpus) -> None:
    registered = {each.verb: each for each in stats.log(corpus.garage, limit=500)}
    assert registered["register-model"].targets == ("model:words",)
    backfill.register(corpus.garage)
    corpus.write("a.md", "# One\n\nA note.\n\n# Two\n\nAnother note.")
    corpus.write("b.md", "A third note.")
    corpus.ingest()
    one_by_one = MaintenanceSettings(embed_batch=1)
    settings = replace(corpus.garage.settings, maintenance=one_by_one)
    (filled,) = backfill.fill(replace(corpus.garage, settings=settings), Stop())
    (embedded,) = stats.log(corpus.garage, verb="embed")
    assert (embedded.actor, embedded.targets) == ("garage", ("model:words",))
    assert embedded.counts == {"embedded": filled.embedded}
    assert filled.embedded >= 2
    backfill.fill(corpus.garage, Stop())
    assert stats.log(corpus.garage, verb="embed") == (embedded,)
    assert len(stats.log(corpus.garage, verb="register-model")) == 1


@pytest.mark.req("LOG-1")
def test_the_log_outlives_what_it_tells_of_and_holds_no_text_of_it(corpus: Corpus) -> None:
    corpus.write("a.md", f"---\nauthor: {MARKER} Example\n---\n\n# {MARKER}\n\nOf {MARKER}.")
    corpus.ingest()
    before = stats.log(corpus.garage)
    sources.remove(corpus.garage, OWNER, "notes")
    after = stats.log(corpus.garage)
    assert after[1:] == before
    assert rows(corpus.garage.graph, "MATCH (:Activity)-[t:TOUCHED]->() RETURN t") == []
    every = rows(corpus.garage.graph, "MATCH (n) RETURN properties(n) AS properties")
    assert MARKER not in json.dumps(every, default=str)


@pytest.mark.req("LOG-1")
def test_the_log_is_read_page_by_page_and_by_verb_and_actor(corpus: Corpus) -> None:
    for number in range(5):
        corpus.write(f"{number}.md", f"Note {number}.")
        corpus.ingest()
    pages: list[Activity] = []
    while page := stats.log(corpus.garage, before=pages[-1].uid if pages else None, limit=2):
        pages += page
    assert tuple(pages) == stats.log(corpus.garage)
    assert len(pages) == 7
    assert len(stats.log(corpus.garage, verb="ingest")) == 5
    assert stats.log(corpus.garage, actor="nobody") == ()
    with pytest.raises(InvalidInput, match="no uid"):
        stats.log(corpus.garage, before="yesterday")
