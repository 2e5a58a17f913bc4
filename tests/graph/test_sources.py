"""Sources: added as what they are, counted, and removed without a trace."""

import subprocess
from pathlib import Path

import pytest

from api.ops import sources, stats
from api.ops.garage import Garage
from api.ops.ingest import Progress
from api.ops.sources import SourceRequest
from extraction.errors import ReadRefused
from graphstore.errors import Conflict, InvalidInput, NotFound
from tests.graph.conftest import OWNER, Corpus, add_source, rows
from tests.graph.mails import maildir, message

NODES = "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties"


def git(root: Path, *arguments: str) -> None:
    person = ("-c", "user.name=Ada Example", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *person, *arguments], cwd=root, check=True, capture_output=True)


def repository(root: Path) -> Path:
    root.mkdir()
    git(root, "init", "--quiet")
    (root / "gauge.py").write_text('def level(gauge):\n    """Read the level of a gauge."""\n')
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "Read gauges")
    return root


def mailbox(file: Path) -> Path:
    file.write_text("From ada@example.org Mon Jun  1 10:00:00 2026\nSubject: One\n\nText.\n")
    return file


@pytest.mark.req("SRC-1")
def test_the_kind_of_a_source_is_found_out_with_its_class_and_trust(
    garage: Garage, tmp_path: Path
) -> None:
    places = {
        "folder": tmp_path,
        "code": repository(tmp_path / "code"),
        "mail": maildir(tmp_path / "mail"),
        "old": mailbox(tmp_path / "old.mbox"),
    }
    for slug, root in places.items():
        assert sources.add(garage, OWNER, SourceRequest(slug, str(root))).created
    found = {each.slug: each for each in sources.listed(garage)}
    assert {s: (e.kind, e.default_class, e.default_trust) for s, e in found.items()} == {
        "folder": ("filesystem", "document", "authored"),
        "code": ("git", "code", "authored"),
        "mail": ("maildir", "communication", "received"),
        "old": ("mbox", "communication", "received"),
    }
    asked = SourceRequest("folder", str(tmp_path), "inbox", "reference", "reference", ("*.tmp",))
    changed = sources.add(garage, OWNER, asked)
    assert not changed.created
    assert changed.source == sources.get(garage, "folder")
    assert (changed.source.kind, changed.source.ignore) == ("inbox", ("*.tmp",))


@pytest.mark.req("SRC-1")
@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": ""},
        {"slug": "Notes"},
        {"slug": "notes\n"},
        {"slug": "1notes"},
        {"slug": "a" * 41},
        {"slug": "no:tes"},
        {"root": "relative"},
        {"root": ""},
        {"root": "/nowhere/at/all"},
        {"root": "/a\0b"},
        {"root": "/" + "x" * 5_000},
        {"root": "~nobody-of-this-name/notes"},
        {"kind": "floppy"},
        {"default_class": "secret"},
        {"default_trust": "total"},
    ],
)
def test_what_cannot_be_a_source_is_refused_and_changes_nothing(
    garage: Garage, tmp_path: Path, wrong: dict[str, str]
) -> None:
    before = rows(garage.graph, NODES)
    asked = {"slug": "notes", "root": str(tmp_path), **wrong}
    with pytest.raises(InvalidInput):
        sources.add(garage, OWNER, SourceRequest(**asked))  # type: ignore[arg-type] - fields by name
    assert rows(garage.graph, NODES) == before


@pytest.mark.req("SRC-1")
@pytest.mark.parametrize("kind", ["filesystem", "git", "maildir", "inbox"])
def test_a_file_is_no_folder(garage: Garage, tmp_path: Path, kind: str) -> None:
    file = mailbox(tmp_path / "old.mbox")
    with pytest.raises(InvalidInput, match="folder"):
        sources.add(garage, OWNER, SourceRequest("old", str(file), kind))


@pytest.mark.req("SRC-1")
def test_a_source_is_listed_with_what_it_holds(corpus: Corpus) -> None:
    corpus.write("a.md", "One note.")
    corpus.write("b.md", "# Long\n\n" + "A sentence about the river and its gauges. " * 200)
    run = corpus.ingest()
    (source,) = sources.listed(corpus.garage)
    assert (source.documents, source.chunks) == (2, run.counts["chunks"])
    assert source.chunks > 2


@pytest.mark.req("SRC-5")
def test_another_class_of_a_source_reaches_what_is_stored(corpus: Corpus) -> None:
    corpus.write("a.md", "One note about the river.")
    corpus.ingest()
    corpus.embed()
    vector = "MATCH (c:Chunk) RETURN c.uid AS uid, c.vec_words AS vector"
    before = rows(corpus.garage.graph, vector)
    asked = SourceRequest("notes", str(corpus.root), "", "communication", "received")
    sources.add(corpus.garage, OWNER, asked)
    corpus.ingest()
    query = "MATCH (n:Document|Chunk) RETURN DISTINCT n.class AS class, n.trust AS trust"
    assert rows(corpus.garage.graph, query) == [{"class": "communication", "trust": "received"}]
    assert rows(corpus.garage.graph, vector) == before


@pytest.mark.req("SRC-1")
def test_a_removed_source_leaves_nothing_but_its_entry_in_the_log(
    corpus: Corpus, tmp_path: Path
) -> None:
    other = add_source(corpus.garage, tmp_path / "other", "other")
    other.write("kept.md", "---\nauthor: Bo Example\n---\n\nThis stays.")
    other.ingest()
    schema = "MATCH (n:!(Activity|GraphVersion)) RETURN elementId(n) AS id, properties(n) AS p"
    before = rows(corpus.garage.graph, schema + " ORDER BY id")
    for number in range(20):
        corpus.write(f"{number}.md", f"---\nauthor: Ada {number % 3}\n---\n\nNote {number}.")
    corpus.write("empty.md", "")
    corpus.ingest()
    removal = sources.remove(corpus.garage, OWNER, "notes")
    assert (removal.documents, removal.chunks) == (20, 20)
    # The source itself was there before its files were.
    before = [row for row in before if row["p"].get("slug") != "notes"]  # type: ignore[attr-defined] - a map
    assert rows(corpus.garage.graph, schema + " ORDER BY id") == before
    with pytest.raises(NotFound):
        sources.remove(corpus.garage, OWNER, "notes")


@pytest.mark.req("SRC-1")
def test_a_source_removed_while_it_is_read_leaves_nothing_half_written(corpus: Corpus) -> None:
    for number in range(6):
        corpus.write(f"{number}.md", f"---\nauthor: Ada {number}\n---\n\nNote {number}.")
    corpus.write("9.md", "")

    def report(progress: Progress) -> None:
        if progress.done == 3:
            sources.remove(corpus.garage, OWNER, "notes")

    run = corpus.ingest(report=report)
    assert run.state == "failed"
    assert "removed" in run.message
    query = (
        "MATCH (n:!(Activity|IngestRun)) WHERE n.source = 'notes' OR n.slug = 'notes' "
        "OR n:Document OR n:Chunk OR n:Author OR n:Alias OR n:Outcome RETURN labels(n) AS labels"
    )
    assert rows(corpus.garage.graph, query) == []


@pytest.mark.req("SRC-1")
def test_files_that_store_nothing_leave_no_outcome_in_a_source_that_is_gone(corpus: Corpus) -> None:
    corpus.write("a.md", "")

    def report(progress: Progress) -> None:
        if progress.done == 0 and progress.path:
            sources.remove(corpus.garage, OWNER, "notes")

    assert corpus.ingest(report=report).state == "failed"
    assert rows(corpus.garage.graph, "MATCH (o:Outcome) RETURN o.path AS path") == []


@pytest.mark.req("SRC-1")
def test_a_removal_that_was_broken_off_is_finished_not_overwritten(corpus: Corpus) -> None:
    corpus.write("a.md", "A note.")
    corpus.ingest()
    rows(corpus.garage.graph, "MATCH (s:Source) SET s.removing = true")
    request = SourceRequest("notes", str(corpus.root), declared=True)
    with pytest.raises(Conflict, match="removal"):
        sources.add(corpus.garage, OWNER, request)
    with pytest.raises(Conflict, match="removal"):
        sources.declare(corpus.garage, OWNER, request)
    assert sources.get(corpus.garage, "notes").standing == "removing"
    with pytest.raises(Conflict, match="being removed"):
        corpus.ingest()
    assert sources.remove(corpus.garage, OWNER, "notes").documents == 1
    assert sources.add(corpus.garage, OWNER, request).created


@pytest.mark.req("SRC-1")
def test_the_same_bytes_twice_in_an_inbox_are_one_document(garage: Garage, tmp_path: Path) -> None:
    inbox = add_source(garage, tmp_path / "inbox", "inbox", kind="inbox")
    text = "# Letter\n\n" + "A letter about the river. " * 100
    inbox.write("one.md", text)
    inbox.write("two.md", text)
    inbox.ingest()
    query = (
        "MATCH (d:Document)-[:HAS_CHUNK]->(c) RETURN d.uri AS uri, count(c) AS n, d.chunks AS is"
    )
    (document,) = rows(garage.graph, query)
    assert str(document["uri"]).startswith("inbox://")
    assert document["n"] == document["is"]
    inbox.write("three.md", text)
    inbox.ingest()
    assert rows(garage.graph, query) == [document]
    states = {each.path: each.state for each in stats.files(garage, "inbox")}
    assert states == dict.fromkeys(("one.md", "three.md", "two.md"), "stored")


@pytest.mark.req("SRC-1")
def test_what_came_in_through_an_inbox_stays_when_its_file_goes(
    garage: Garage, tmp_path: Path
) -> None:
    inbox = add_source(garage, tmp_path / "inbox", "inbox", kind="inbox")
    inbox.write("one.md", "A letter.")
    inbox.ingest()
    (inbox.root / "one.md").unlink()
    assert inbox.ingest().state == "done"
    assert sources.get(garage, "inbox").documents == 1


@pytest.mark.req("SRC-1")
def test_a_repository_is_code_by_the_people_who_committed_it(
    garage: Garage, tmp_path: Path
) -> None:
    code = Corpus(garage, repository(tmp_path / "code"), "code")
    sources.add(garage, OWNER, SourceRequest("code", str(code.root)))
    code.write("untracked.py", "x = 1\n")
    code.ingest()
    query = (
        "MATCH (d:Document)-[:AUTHORED_BY]->(e)<-[:IDENTIFIES]-(i) "
        "RETURN d.path AS path, d.class AS class, e.name AS name, i.key AS key"
    )
    assert rows(garage.graph, query) == [
        {"path": "gauge.py", "class": "code", "name": "Ada Example", "key": "email:ada@example.org"}
    ]


@pytest.mark.req("SRC-4")
def test_a_file_that_holds_nothing_any_more_gives_up_its_document(corpus: Corpus) -> None:
    corpus.write("a.md", "---\nauthor: Ada Example\n---\n\nA note about the river.")
    corpus.write("b.md", "Another note.")
    corpus.ingest()
    corpus.write("a.md", "")
    run = corpus.ingest()
    assert (run.counts["skipped"], run.counts["removed_documents"]) == (1, 1)
    assert rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.path AS path") == [
        {"path": "b.md"}
    ]
    assert rows(corpus.garage.graph, "MATCH (a:Author) RETURN a.name") == []
    states = {each.path: each.state for each in stats.files(corpus.garage, "notes")}
    assert states == {"a.md": "skipped", "b.md": "stored"}


@pytest.mark.req("SRC-4")
def test_a_file_that_cannot_be_read_now_keeps_its_document_until_it_can(corpus: Corpus) -> None:
    corpus.write("a.html", "<h1>River</h1><p>A note about the river.</p>")
    corpus.write("b.md", "Another note.")
    corpus.ingest()
    (corpus.root / "a.html").unlink()
    corpus.write("a.html", "<p>Another text</p>")
    closed = corpus.with_garage(readers=Closed())
    assert closed.ingest().counts["failed"] == 1
    assert sources.get(corpus.garage, "notes").documents == 2
    corpus.write("a.html", "")
    assert corpus.ingest().counts["removed_documents"] == 1
    assert sources.get(corpus.garage, "notes").documents == 1


class Closed:
    """Readers of a disk that fails."""

    def read(self, *_: object) -> object:
        raise ReadRefused("failed", "the disk does not answer")


@pytest.mark.req("SRC-4")
def test_mail_that_is_gone_goes_and_the_rest_stays(garage: Garage, tmp_path: Path) -> None:
    mail = add_source(garage, maildir(tmp_path / "mail"), "mail")
    for number in range(5):
        message(mail.root, f"m{number}")
    mail.ingest()
    (mail.root / "cur" / "m3:2,S").unlink()
    (mail.root / "cur" / "m2:2,S").rename(mail.root / "cur" / "m2:2,RS")
    assert mail.ingest().counts["removed"] == 1
    assert sources.get(garage, "mail").documents == 4


@pytest.mark.req("SRC-1")
def test_a_source_is_never_turned_into_another_place(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    before = sources.get(corpus.garage, "notes")
    with pytest.raises(Conflict, match="remove-source notes"):
        sources.add(corpus.garage, OWNER, SourceRequest("notes", str(other)))
    assert sources.get(corpus.garage, "notes") == before
