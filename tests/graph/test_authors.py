"""Authors: who wrote what, by identity first, by name where there is nothing better."""

from dataclasses import replace

import pytest

from extraction.readers import Readers
from extraction.settings import ReadingSettings
from tests.graph.conftest import Corpus, add_source, rows
from tests.graph.mails import maildir, message

PERSONS = """
MATCH (e:Author)
RETURN e.name AS name, e.is_self AS is_self, e.class AS class, e.key AS key,
       COLLECT { MATCH (e)-[:KNOWN_AS]->(a:Alias) RETURN a.text ORDER BY a.text } AS aliases,
       COLLECT { MATCH (i:Identity)-[:IDENTIFIES]->(e) RETURN i.key ORDER BY i.key } AS identities,
       COLLECT { MATCH (e)<-[:AUTHORED_BY]-(d) RETURN d.path ORDER BY d.path } AS wrote
ORDER BY e.key
"""


def note(corpus: Corpus, path: str, author: str, text: str = "About the river.") -> None:
    corpus.write(path, f"---\nauthor: {author}\n---\n\nA note. {text}")


def persons(corpus: Corpus) -> list[dict[str, object]]:
    return rows(corpus.garage.graph, PERSONS)


def wrote(corpus: Corpus) -> list[object]:
    return sorted((each["wrote"] for each in persons(corpus)), key=str)


@pytest.mark.req("SRC-6")
def test_two_persons_of_one_name_and_two_addresses_stay_two(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada Example <ada@example.com>")
    corpus.ingest()
    found = persons(corpus)
    assert [each["identities"] for each in found] == [
        ["email:ada@example.org"],
        ["email:ada@example.com"],
    ]
    assert [each["wrote"] for each in found] == [["a.md"], ["b.md"]]
    assert [each["aliases"] for each in found] == [["Ada Example"], ["Ada Example"]]


@pytest.mark.req("SRC-6")
def test_one_address_spelled_two_ways_is_one_person_of_two_names(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "A. Example <ADA@example.org>")
    corpus.ingest()
    (ada,) = persons(corpus)
    assert ada["aliases"] == ["A. Example", "Ada Example"]
    assert ada["wrote"] == ["a.md", "b.md"]
    assert ada["is_self"] is False


@pytest.mark.req("SRC-6")
def test_the_owner_is_marked_and_is_one_under_all_addresses(corpus: Corpus) -> None:
    settings = ReadingSettings(self_identities=("ada@example.org", "ada@example.com"))
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada <ada@example.com>")
    note(corpus, "c.md", "Bo Example <bo@example.org>")
    with Readers(settings) as readers:
        corpus.with_garage(readers=readers, reading=settings).ingest()
    found = {str(each["key"]): each for each in persons(corpus)}
    assert {key: each["is_self"] for key, each in found.items()} == {
        "ada example#1": True,
        "bo example#1": False,
    }
    assert found["ada example#1"]["wrote"] == ["a.md", "b.md"]


@pytest.mark.req("SRC-6")
def test_a_bare_name_goes_to_the_one_person_who_bears_it(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "ada  EXAMPLE")
    corpus.ingest()
    assert wrote(corpus) == [["a.md", "b.md"]]


@pytest.mark.req("SRC-6")
def test_a_bare_name_that_several_bear_is_one_person_more_however_often_it_is_read(
    corpus: Corpus,
) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada Example <ada@example.com>")
    for name in "cde":
        note(corpus, f"{name}.md", "Ada Example")
    corpus.ingest()
    expected = [["a.md"], ["b.md"], ["c.md", "d.md", "e.md"]]
    assert wrote(corpus) == expected
    note(corpus, "d.md", "Ada Example", "With a further sentence.")
    corpus.ingest()
    assert wrote(corpus) == expected


@pytest.mark.req("SRC-6")
def test_a_name_with_a_number_sign_is_a_name_of_its_own(corpus: Corpus) -> None:
    note(corpus, "a.md", "'Ada#7'")
    corpus.ingest()
    note(corpus, "b.md", "Ada")
    corpus.ingest()
    assert [each["key"] for each in persons(corpus)] == ["ada#0", "ada#7#0"]


@pytest.mark.req("SRC-6")
def test_reading_the_same_files_again_leaves_the_same_persons(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada Example")
    note(corpus, "c.md", "Bo Example")
    corpus.ingest()
    every = "MATCH (n:Author|Alias|Identity) RETURN labels(n) AS labels, n.uid AS uid, n.key AS key"
    before = (rows(corpus.garage.graph, every), persons(corpus))
    for name in "abc":
        (corpus.root / f"{name}.md").touch()
    corpus.ingest()
    rows(corpus.garage.graph, "MATCH (o:Outcome) SET o.stat = '', o.file_sha256 = ''")
    corpus.ingest()
    assert (rows(corpus.garage.graph, every), persons(corpus)) == before


@pytest.mark.req("SRC-6")
def test_a_person_whom_nothing_mentions_goes_with_name_and_address(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada Example <ada@example.com>")
    note(corpus, "c.md", "Bo Example <bo@example.org>")
    note(corpus, "d.md", "Bo Example <bo@example.org>", "Another one.")
    corpus.ingest()
    (corpus.root / "a.md").unlink()
    (corpus.root / "b.md").unlink()
    corpus.ingest()
    assert wrote(corpus) == [["c.md", "d.md"]]
    left = "MATCH (n:Alias|Identity) RETURN n.key AS key ORDER BY key"
    assert [row["key"] for row in rows(corpus.garage.graph, left)] == [
        "bo example",
        "email:bo@example.org",
    ]


@pytest.mark.req("SRC-6")
def test_an_edit_may_change_the_author(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    corpus.ingest()
    note(corpus, "a.md", "Bo Example <bo@example.org>")
    corpus.ingest()
    (bo,) = persons(corpus)
    assert (bo["name"], bo["wrote"]) == ("Bo Example", ["a.md"])
    assert [r["n"] for r in rows(corpus.garage.graph, "MATCH (a:Alias) RETURN count(a) AS n")] == [
        1
    ]


@pytest.mark.req("SRC-5")
def test_a_name_is_communication_only_while_everything_that_mentions_it_is(
    corpus: Corpus,
) -> None:
    mail = add_source(corpus.garage, maildir(corpus.root.with_name("mail")), "mail")
    message(mail.root, "one")
    mail.ingest()
    assert [each["class"] for each in persons(corpus)] == ["communication"]
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Cy Example")
    corpus.ingest()
    assert {each["class"] for each in persons(corpus)} == {"document"}
    (corpus.root / "a.md").unlink()
    corpus.ingest()
    classes = {each["name"]: each["class"] for each in persons(corpus)}
    assert classes == {"Ada Example": "communication", "Cy Example": "document"}


@pytest.mark.req("SRC-6")
def test_several_authors_of_one_document_each_have_their_edge(corpus: Corpus) -> None:
    corpus.write(
        "a.md",
        "---\nauthor:\n  - Ada Example <ada@example.org>\n  - Bo Example\n---\n\nOf two.",
    )
    corpus.ingest()
    assert [each["wrote"] for each in persons(corpus)] == [["a.md"], ["a.md"]]
    edge = "MATCH ()-[t:AUTHORED_BY]->() RETURN t.uid AS uid, t.class AS class, t.trust AS trust"
    found = rows(corpus.garage.graph, edge)
    assert len({row["uid"] for row in found}) == 2
    assert {(row["class"], row["trust"]) for row in found} == {("document", "authored")}


@pytest.mark.req("SRC-6")
def test_stored_and_read_again_in_other_batches_the_persons_are_the_same(corpus: Corpus) -> None:
    note(corpus, "a.md", "Ada Example <ada@example.org>")
    note(corpus, "b.md", "Ada Example")
    note(corpus, "c.md", "Ada Example <ada@example.com>")
    note(corpus, "d.md", "Ada Example")
    one_each = replace(
        corpus.garage.settings,
        ingest=replace(corpus.garage.settings.ingest, chunks_per_transaction=1),
    )
    corpus.with_garage(settings=one_each).ingest()
    apart = persons(corpus)
    for name in "abcd":
        (corpus.root / f"{name}.md").rename(corpus.root.with_name(f"{name}.md"))
    corpus.ingest(confirm=True)
    assert persons(corpus) == []
    for name in "abcd":
        corpus.root.with_name(f"{name}.md").rename(corpus.root / f"{name}.md")
    corpus.ingest()
    assert persons(corpus) == apart
