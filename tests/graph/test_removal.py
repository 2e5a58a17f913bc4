"""Removal of sources: what goes, what is kept, and what a removal that was broken off becomes."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from api.ops import maintenance, removal, search, sources, stats
from api.ops.garage import Garage
from api.ops.hall import Ready
from api.ops.ingest import Progress
from api.ops.runs import Runs
from api.ops.search import SearchRequest
from api.ops.sources import RemovalRequest, SourceRequest
from graphstore import removals
from graphstore.errors import Conflict, InvalidInput, NotFound, Refused
from graphstore.lanes import Filter
from graphstore.settings import Connection
from tests.faults.killing import Kill, KillingGraph
from tests.faults.orphans import orphans
from tests.graph.conftest import OWNER, Corpus, add_source, empty, rows
from tests.graph.mails import maildir, message

KEEP = RemovalRequest(keep_documents=True)
DOCUMENTS = (
    "MATCH (d:Document)-[:FROM]->(s) OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c) WITH d, s, c "
    "ORDER BY c.ordinal RETURN d.uri AS uri, d.uid AS uid, s.slug AS source, d.source AS copy, "
    "d.class AS class, d.trust AS trust, collect([c.uid, c.vec_words]) AS chunks ORDER BY uri"
)


@pytest.fixture
def told(corpus: Corpus) -> Corpus:
    corpus.write("river.md", "---\nauthor: Ada Example\n---\n\nThe gauge at the river rose.")
    corpus.write("garden.md", "Tomatoes like the southern wall.")
    corpus.ingest()
    corpus.embed()
    return corpus


def found(corpus: Corpus, query: str, **wanted: tuple[str, ...]) -> list[str]:
    """The addresses that a search finds, first the best."""
    request = SearchRequest(query, wanted=Filter(**wanted))  # type: ignore[arg-type] - fields by name
    return [hit.uri for hit in search.search(corpus.garage, OWNER, request).hits]


def again(corpus: Corpus, slug: str, root: Path) -> Corpus:
    sources.add(corpus.garage, OWNER, SourceRequest(slug, str(root)))
    return replace(corpus, slug=slug, root=root)


@pytest.mark.req("SRC-7")
def test_kept_documents_are_what_they_were_under_the_source_kept(told: Corpus) -> None:
    before = rows(told.garage.graph, DOCUMENTS)
    done = sources.remove(told.garage, OWNER, "notes", "a move", KEEP)
    assert (done.is_finished, done.documents, done.kept_documents, done.kept_chunks) == (
        *(True, 0, 2, 2),
    )
    moved = [{**row, "source": "kept", "copy": "kept"} for row in before]
    assert rows(told.garage.graph, DOCUMENTS) == moved
    (kept,) = sources.listed(told.garage)
    assert (kept.slug, kept.standing, kept.documents, kept.chunks) == ("kept", "kept", 2, 2)
    assert found(told, "river gauge", sources=("kept",))[0] == "notes:river.md"
    assert found(told, "river gauge", authors=("Ada Example",)) == ["notes:river.md"]
    with pytest.raises(InvalidInput):
        found(told, "river gauge", sources=("notes",))
    assert orphans(told.garage.graph) == {}
    (entry,) = stats.log(told.garage, verb="remove-source", limit=1)
    assert entry.counts == {"documents": 0, "chunks": 0, "kept_documents": 2, "kept_chunks": 2}


@pytest.mark.req("SRC-7")
def test_kept_documents_are_never_read_again_or_reconciled(told: Corpus) -> None:
    sources.remove(told.garage, OWNER, "notes", "", KEEP)
    for file in told.root.iterdir():
        file.unlink()
    runs = Runs(told.garage, "tests")
    assert maintenance.once(told.garage, runs).runs == ()
    with pytest.raises(Conflict, match="nothing is read into it"):
        runs.start(OWNER, "kept")
    with pytest.raises(InvalidInput, match="kept"):
        sources.add(told.garage, OWNER, SourceRequest("kept", str(told.root)))
    assert sources.get(told.garage, "kept").documents == 2


@pytest.mark.req("SRC-7")
def test_the_same_place_takes_its_kept_documents_back_with_uids_and_vectors(told: Corpus) -> None:
    before = rows(told.garage.graph, DOCUMENTS)
    sources.remove(told.garage, OWNER, "notes", "", KEEP)
    again(told, "notes", told.root).ingest()
    assert rows(told.garage.graph, DOCUMENTS) == before
    assert rows(told.garage.graph, "MATCH (d:Document) RETURN d.kept_from AS it") == [
        {"it": None},
        {"it": None},
    ]


@pytest.mark.req("SRC-7")
def test_another_place_of_the_same_name_leaves_kept_documents_alone(
    told: Corpus, tmp_path: Path
) -> None:
    sources.remove(told.garage, OWNER, "notes", "", KEEP)
    (tmp_path / "other").mkdir()
    other = again(told, "notes", tmp_path / "other")
    other.write("river.md", "Quite another text about a boat.")
    other.ingest()
    other.embed()
    held = {row["uri"]: row["source"] for row in rows(told.garage.graph, DOCUMENTS)}
    assert held.pop("notes:river.md") == "notes"
    assert held.pop("notes:garden.md") == "kept"
    ((aside, source),) = held.items()
    assert str(aside).startswith("notes:river.md#")
    assert source == "kept"
    assert aside in found(told, "river gauge rose")
    sources.remove(told.garage, OWNER, "notes", "", KEEP)
    assert sources.get(told.garage, "kept").documents == 3


@pytest.mark.req("SRC-7")
def test_kept_mail_keeps_its_thread(garage: Garage, tmp_path: Path) -> None:
    mail = add_source(garage, maildir(tmp_path / "mail"), "mail")
    message(mail.root, "one")
    message(mail.root, "two", answers="one", references=("one",), day=2)
    mail.ingest()
    edges = "MATCH (a:Document)-[r:REPLIES_TO|IN_THREAD]->(b) RETURN type(r), a.uri, b.uri"
    before = rows(garage.graph, edges)
    assert before
    sources.remove(garage, OWNER, "mail", "", KEEP)
    assert rows(garage.graph, edges) == before
    (kept,) = sources.listed(garage)
    assert kept.documents == 2
    classes = "MATCH (n:Document|Chunk) RETURN DISTINCT n.class AS class, n.trust AS trust"
    assert rows(garage.graph, classes) == [{"class": "communication", "trust": "received"}]


@pytest.mark.req("SRC-7")
def test_the_source_kept_goes_only_on_purpose_and_takes_its_documents_along(told: Corpus) -> None:
    sources.remove(told.garage, OWNER, "notes", "", KEEP)
    with pytest.raises(Refused, match="kept on purpose"):
        sources.remove(told.garage, OWNER, "kept")
    with pytest.raises(Conflict, match="kept already"):
        sources.remove(told.garage, OWNER, "kept", "", KEEP)
    assert sources.get(told.garage, "kept").documents == 2
    done = sources.remove(told.garage, OWNER, "kept", "", RemovalRequest(discard_kept=True))
    assert (done.documents, done.chunks) == (2, 2)
    assert sources.listed(told.garage) == ()
    assert rows(told.garage.graph, "MATCH (n:Document|Chunk|Author) RETURN n.uid") == []


@pytest.mark.req("SRC-7")
def test_a_removal_stops_the_ingest_that_is_under_way_and_waits_for_it(corpus: Corpus) -> None:
    for number in range(40):
        corpus.write(f"{number:02}.md", f"Note {number} about the river.")
    runs = Runs(corpus.garage, "tests")
    run = runs.start(OWNER, "notes")
    events = runs.follow(run.uid)
    assert any(isinstance(event, Progress) and event.done for event in events)
    done = removal.remove(Ready(corpus.garage, runs), OWNER, "notes", "", RemovalRequest())
    assert done.removal.is_finished
    assert not runs.is_busy
    assert rows(corpus.garage.graph, "MATCH (n:Document|Outcome|Source) RETURN n") == []


@pytest.mark.req("SRC-7")
def test_a_removal_that_takes_long_says_how_far_it_is_and_goes_on(
    told: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removals, "_CHUNKS", 1)
    briefly = replace(KEEP, at_most_s=-1.0)
    first = sources.remove(told.garage, OWNER, "notes", "", briefly)
    assert (first.is_finished, first.kept_documents, first.remaining) == (False, 1, 1)
    assert sources.get(told.garage, "notes").standing == "removing"
    # Whoever began to keep does not lose the rest by forgetting the option.
    with pytest.raises(Conflict, match="with its documents kept"):
        sources.remove(told.garage, OWNER, "notes")
    assert sources.remove(told.garage, OWNER, "notes", "", KEEP).kept_documents == 2


@pytest.mark.req("SRC-7")
@pytest.mark.campaign("C58", part=True)
@pytest.mark.parametrize("how", [KEEP, RemovalRequest()], ids=["kept", "gone"])
def test_a_removal_broken_off_at_any_write_ends_in_the_same_state_when_it_is_asked_for_again(
    corpus: Corpus,
    neo4j_server: Connection,
    tmp_path: Path,
    how: RemovalRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(removals, "_CHUNKS", 1)
    texts = "MATCH (d:Document)-[:FROM]->(s) RETURN d.uri AS uri, s.slug AS source ORDER BY uri"
    for name in ("a", "b"):
        corpus.write(f"{name}.md", f"Note {name}.")
    number = 0
    for number in range(1, 20):
        empty(corpus.garage.graph)
        again(corpus, "notes", corpus.root).ingest()
        # A kill before a commit leaves what the one after the last commit left.
        kill = Kill("after-commit", number)
        with KillingGraph(neo4j_server, kill, tmp_path / "history", pull) as graph:
            try:
                sources.remove(replace(corpus.garage, graph=graph), OWNER, "notes", "", how)
                break
            except Pulled:
                finish(corpus, how)
        stays = [{"uri": f"notes:{n}.md", "source": "kept"} for n in ("a", "b")]
        assert rows(corpus.garage.graph, texts) == (stays if how.keep_documents else [])
        left = [each.slug for each in sources.listed(corpus.garage)]
        assert left == (["kept"] if how.keep_documents else [])
        assert orphans(corpus.garage.graph) == {}
    assert number > 4


class Pulled(BaseException):
    """The plug was pulled: nothing that catches errors may go on."""


def pull() -> None:
    raise Pulled


def finish(corpus: Corpus, how: RemovalRequest) -> None:
    """Ask again, as a person would; that it is finished already is told as that."""
    try:
        done = sources.remove(corpus.garage, OWNER, "notes", "", how)
    except NotFound:
        return
    assert (done.documents, done.kept_documents) == ((0, 2) if how.keep_documents else (2, 0))


@pytest.mark.req("SRC-7")
def test_what_the_settings_file_no_longer_declares_stays_and_is_not_read_by_itself(
    told: Corpus, tmp_path: Path
) -> None:
    request = SourceRequest("notes", str(told.root), declared=True)
    sources.declare(told.garage, OWNER, request)
    by_hand = add_source(told.garage, tmp_path / "other", "other")
    assert sources.undeclare(told.garage, OWNER, ["notes"]) == ()
    assert sources.undeclare(told.garage, OWNER, []) == ("notes",)
    standing = {each.slug: each.standing for each in sources.listed(told.garage)}
    assert standing == {"notes": "undeclared", "other": "added"}
    runs = Runs(told.garage, "tests")
    assert [run.source for run in maintenance.once(told.garage, runs).runs] == [by_hand.slug]
    runs.close()
    assert told.ingest().counts == {"unchanged": 2}  # named, it is read
    sources.declare(told.garage, OWNER, request)
    assert sources.get(told.garage, "notes").standing == "declared"
    sources.add(told.garage, OWNER, replace(request, declared=False))
    assert sources.get(told.garage, "notes").standing == "declared"


@pytest.mark.req("SRC-7")
def test_a_source_that_vanishes_in_a_round_of_maintenance_costs_the_others_nothing(
    told: Corpus, tmp_path: Path
) -> None:
    other = add_source(told.garage, tmp_path / "other", "other")
    other.write("boat.md", "The keel was painted blue.")

    class Vanishing(Runs):
        """Runs before whose first start the first source is removed."""

        def start(self, caller, slug, **more):
            if slug == "notes":
                sources.remove(told.garage, OWNER, "notes")
            return super().start(caller, slug, **more)

    runs = Vanishing(told.garage, "tests")
    (run,) = maintenance.once(told.garage, runs).runs
    assert list(runs.follow(run.uid))[-1].counts["stored"] == 1  # type: ignore[union-attr] - a run


@pytest.mark.req("SRC-4")
def test_a_root_that_is_gone_is_a_question_of_its_own(told: Corpus) -> None:
    away = told.root.rename(told.root.with_name("away"))
    asked = told.ingest(confirm=True)
    assert asked.state == "needs_confirmation"
    assert "Confirm that it is gone" in asked.message
    assert sources.get(told.garage, "notes").documents == 2
    runs = Runs(told.garage, "tests")
    run = runs.start(OWNER, "notes", accept_missing_root=True)
    assert list(runs.follow(run.uid))[-1].counts["removed"] == 2  # type: ignore[union-attr] - a run
    away.rename(told.root)
    assert told.ingest().counts["stored"] == 2


@pytest.mark.req("SRC-7")
def test_a_second_source_over_the_same_files_is_warned_of(corpus: Corpus) -> None:
    inner = corpus.root / "inner"
    inner.mkdir()
    for slug, root, said in (
        ("twin", corpus.root, "reads the same root"),
        ("inner", inner, "in which this root lies"),
        ("outer", corpus.root.parent, "which lies in this root"),
    ):
        added = sources.add(corpus.garage, OWNER, SourceRequest(slug, str(root)))
        assert any("'notes'" in each and said in each for each in added.warnings)
        sources.remove(corpus.garage, OWNER, slug)
    assert (
        sources.add(corpus.garage, OWNER, SourceRequest("notes", str(corpus.root))).warnings == ()
    )


@pytest.mark.req("SRC-7")
def test_two_removals_at_once_remove_it_once(told: Corpus) -> None:
    said: list[object] = []

    def remove() -> None:
        try:
            said.append(sources.remove(told.garage, OWNER, "notes", "", KEEP).kept_documents)
        except NotFound:
            said.append("gone")

    threads = [threading.Thread(target=remove) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 2 in said
    assert sources.get(told.garage, "kept").documents == 2
    assert orphans(told.garage.graph) == {}
