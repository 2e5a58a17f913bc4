"""Mail: threads, replies and attachments are edges, whatever the order in which messages come."""

from itertools import permutations
from pathlib import Path

import pytest

from api.ops import reading, sources
from api.ops.garage import Garage
from tests.graph.conftest import OWNER, Corpus, add_source, rows
from tests.graph.mails import maildir, message, with_file

EDGES = """
MATCH (a:Document)-[t:REPLIES_TO|IN_THREAD|ATTACHMENT_OF]->(b:Document)
RETURN type(t) AS type, a.uri AS a, b.uri AS b, t.class AS class, t.document_uid = a.uid AS own,
       t.assigned_by AS by, t.valid_to.year AS until
"""


@pytest.fixture
def mail(garage: Garage, tmp_path: Path) -> Corpus:
    return add_source(garage, maildir(tmp_path / "mail"), "mail")


def edges(corpus: Corpus) -> set[tuple[str, str, str]]:
    return {
        (str(row["type"]), short(row["a"]), short(row["b"]))
        for row in rows(corpus.garage.graph, EDGES)
    }


def short(uri: object) -> str:
    return str(uri).removeprefix("mail:")


THREAD = {
    ("REPLIES_TO", "two", "one"),
    ("REPLIES_TO", "three", "two"),
    ("IN_THREAD", "two", "one"),
    ("IN_THREAD", "three", "one"),
}


def thread(root: Path, *names: str) -> None:
    for name in names:
        if name == "one":
            message(root, "one", day=1)
        elif name == "two":
            message(root, "two", answers="one", references=("one",), day=2)
        else:
            message(root, "three", answers="two", references=("one", "two"), day=3)


@pytest.mark.req("SRC-6")
def test_replies_and_threads_are_typed_edges_that_say_where_they_come_from(mail: Corpus) -> None:
    thread(mail.root, "one", "two", "three")
    mail.ingest()
    assert edges(mail) == THREAD
    for row in rows(mail.garage.graph, EDGES):
        assert (row["class"], row["own"], row["by"]) == ("communication", True, "rule")
        assert row["until"] == 9999


@pytest.mark.req("SRC-6")
def test_the_order_in_which_messages_come_changes_no_edge(mail: Corpus) -> None:
    for order in permutations(("one", "two", "three")):
        for name in order:
            thread(mail.root, name)
            mail.ingest()
        assert edges(mail) == THREAD
        for file in (mail.root / "cur").iterdir():
            file.unlink()
        mail.ingest(confirm=True)
        assert rows(mail.garage.graph, "MATCH (d:Document) RETURN d.uid") == []


@pytest.mark.req("SRC-6")
def test_a_removed_root_leaves_a_thread_of_the_others(mail: Corpus) -> None:
    thread(mail.root, "one", "two", "three")
    mail.ingest()
    (mail.root / "cur" / "one:2,S").unlink()
    mail.ingest()
    assert edges(mail) == {("REPLIES_TO", "three", "two"), ("IN_THREAD", "three", "two")}
    thread(mail.root, "one")
    mail.ingest()
    assert edges(mail) == THREAD


@pytest.mark.req("SRC-6")
def test_reading_a_thread_again_writes_the_same_edges(mail: Corpus) -> None:
    thread(mail.root, "one", "two", "three")
    with_file(mail.root, "plan")
    mail.ingest()
    every = "MATCH (d:Document)-[t]->(e:Document) RETURN t.uid AS uid ORDER BY uid"
    before = (edges(mail), rows(mail.garage.graph, every))
    rows(mail.garage.graph, "MATCH (o:Outcome) SET o.stat = '', o.file_sha256 = ''")
    assert mail.ingest().counts["stored"] == 4
    assert (edges(mail), rows(mail.garage.graph, every)) == before


@pytest.mark.req("SRC-6")
def test_a_message_that_changed_its_id_keeps_no_reply_to_the_earlier_one(mail: Corpus) -> None:
    thread(mail.root, "one", "two")
    mail.ingest()
    message(mail.root, "one", message_id="another")
    mail.ingest()
    assert edges(mail) == set()


@pytest.mark.req("SRC-6")
def test_a_message_answers_one_copy_of_its_parent_the_nearest_there_is(
    mail: Corpus, tmp_path: Path
) -> None:
    archive = add_source(mail.garage, maildir(tmp_path / "archive"), "archive")
    thread(mail.root, "two")
    mail.ingest()
    message(archive.root, "one")
    archive.ingest()
    assert ("REPLIES_TO", "two", "archive:one") in edges(mail)
    thread(mail.root, "one")
    mail.ingest()
    replies = {edge for edge in edges(mail) if edge[0] == "REPLIES_TO"}
    assert replies == {("REPLIES_TO", "two", "one")}
    (mail.root / "cur" / "one:2,S").unlink()
    mail.ingest()
    replies = {edge for edge in edges(mail) if edge[0] == "REPLIES_TO"}
    assert replies == {("REPLIES_TO", "two", "archive:one")}
    sources.remove(mail.garage, OWNER, "archive")
    assert edges(mail) == set()


@pytest.mark.req("SRC-6")
def test_an_attachment_is_a_document_bound_to_its_message(mail: Corpus) -> None:
    with_file(mail.root, "plan")
    mail.ingest()
    document = reading.document(mail.garage, "mail:plan")
    (attachment,) = document.attachments
    assert reading.document(mail.garage, attachment).attachment_of == ("mail:plan",)
    assert "Dig it." in reading.read(mail.garage, attachment).text
    with_file(mail.root, "plan", file="other.md", text="Fill it.")
    mail.ingest()
    (renamed,) = reading.document(mail.garage, "mail:plan").attachments
    assert renamed != attachment
    assert len(rows(mail.garage.graph, "MATCH (d:Document) RETURN d.uid")) == 2
    (mail.root / "cur" / "plan:2,S").unlink()
    mail.ingest(confirm=True)
    assert rows(mail.garage.graph, "MATCH (d:Document|Chunk) RETURN d.uid") == []


@pytest.mark.req("SRC-6")
def test_a_message_that_answers_itself_has_no_edge(mail: Corpus) -> None:
    message(mail.root, "one", answers="one", references=("one",))
    mail.ingest()
    assert edges(mail) == set()
