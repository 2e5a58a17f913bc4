"""Ingest: every file has an outcome; what is stored is whole; what is unchanged is left alone."""

from pathlib import Path

import pytest

from api.ops import reading, stats
from api.ops.garage import Garage, Stop
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from tests.graph.conftest import Corpus, add_source, rows

LONG = "\n\n".join(
    f"## Part {number}\n\n" + f"Sentence {number} speaks of gauges and rivers. " * 40
    for number in range(6)
)
SLOW = "<div>" + "<p>The weather of the <b>lighthouse</b> in the morning.</p>\n" * 20_000 + "</div>"
"""A page that takes longer to read than a hasty reader waits."""


@pytest.mark.req("SRC-3")
def test_every_file_has_an_outcome_and_a_bad_one_stops_nothing(corpus: Corpus) -> None:
    corpus.write("good.md", "# Good\n\nA note about the river.")
    corpus.write("empty.md", "")
    corpus.write("broken.pdf", b"%PDF-1.4 broken")
    corpus.write("blob.bin", bytes(range(256)))
    run = corpus.ingest()
    found = {each.path: each for each in stats.files(corpus.garage, "notes")}
    assert run.state == "done"
    assert {path: each.state for path, each in found.items()} == {
        "good.md": "stored",
        "empty.md": "skipped",
        "broken.pdf": "failed",
        "blob.bin": "skipped",
    }
    assert all(each.reason for each in found.values() if each.state != "stored")


@pytest.mark.req("SRC-2")
def test_an_unchanged_file_is_skipped_by_stat_then_by_hash(corpus: Corpus) -> None:
    file = corpus.write("note.md", "# Note\n\nThe same text all along.")
    assert corpus.ingest().counts["stored"] == 1
    assert corpus.ingest().counts == {"unchanged": 1}
    file.touch()
    before = rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.updated_at AS at")
    assert corpus.ingest().counts == {"unchanged": 1}
    assert rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.updated_at AS at") == before
    assert corpus.ingest().counts == {"unchanged": 1}


@pytest.mark.req("SRC-2")
def test_an_edit_keeps_the_nodes_and_vectors_of_unchanged_chunks(corpus: Corpus) -> None:
    corpus.write("long.md", "# Long\n\n" + LONG)
    corpus.ingest()
    corpus.embed()
    query = "MATCH (c:Chunk) RETURN c.uid AS uid, c.text AS text, c.vec_words AS vector"
    before = {row["uid"]: row for row in rows(corpus.garage.graph, query)}
    corpus.write(
        "long.md", "# Long\n\n" + LONG.replace("Sentence 3 speaks", "Sentence three tells")
    )
    corpus.ingest()
    after = {row["uid"]: row for row in rows(corpus.garage.graph, query)}
    kept = before.keys() & after.keys()
    changed = [row for uid, row in after.items() if uid not in kept]
    assert len(kept) >= len(before) - 3
    assert all(after[uid]["vector"] == before[uid]["vector"] for uid in kept)
    assert changed
    assert all(row["vector"] is None and "three" in str(row["text"]) for row in changed)


@pytest.mark.req("SRC-2")
def test_a_stored_text_is_the_text_of_the_file(corpus: Corpus) -> None:
    corpus.write("long.md", "# Long\n\n" + LONG)
    corpus.ingest()
    passage = reading.read(corpus.garage, "notes:long.md", 0, 200_000)
    assert passage.text == "# Long\n\n" + LONG
    assert not passage.truncated


@pytest.mark.req("SRC-4")
def test_a_file_that_is_gone_leaves_nothing_behind(corpus: Corpus) -> None:
    for number in range(12):
        corpus.write(f"{number}.md", f"---\nauthor: Ada {number}\n---\n\nNote {number} of Ada.")
    corpus.ingest()
    (corpus.root / "3.md").unlink()
    run = corpus.ingest()
    assert run.counts["removed"] == 1
    query = (
        "MATCH (n) WHERE n.path = '3.md' OR n.text CONTAINS 'Note 3' OR n.name = 'Ada 3' "
        "OR n.text = 'Ada 3' RETURN labels(n) AS labels"
    )
    assert rows(corpus.garage.graph, query) == []
    assert len(rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.uid AS uid")) == 11


@pytest.mark.req("SRC-4")
def test_a_vanished_root_or_most_of_its_files_asks_first(corpus: Corpus) -> None:
    for number in range(10):
        corpus.write(f"{number}.md", f"Note {number} about the river.")
    corpus.ingest()
    for number in range(9):
        (corpus.root / f"{number}.md").unlink()
    run = corpus.ingest()
    assert run.state == "needs_confirmation"
    assert "9 of 10 files" in run.message
    assert len(rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.uid AS uid")) == 10
    corpus.root.rename(corpus.root.with_name("elsewhere"))
    assert corpus.ingest().state == "needs_confirmation"
    assert len(rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.uid AS uid")) == 10
    assert corpus.ingest(confirm=True).state == "needs_confirmation"
    run = corpus.ingest(accept_missing_root=True)
    assert (run.state, run.counts["removed"]) == ("done", 10)
    assert rows(corpus.garage.graph, "MATCH (d:Document) RETURN d.uid AS uid") == []


@pytest.mark.req("SRC-8")
def test_a_cancelled_run_keeps_what_it_stored_and_the_next_one_goes_on(corpus: Corpus) -> None:
    for number in range(30):
        corpus.write(f"{number:02}.md", f"# Note {number}\n\nAbout the river.")
    stop = Stop()
    seen: list[int] = []

    def report(progress: object) -> None:
        seen.append(getattr(progress, "done", 0))
        if len(seen) == 10:
            stop.set()

    cancelled = corpus.ingest(report=report, stop=stop)
    assert cancelled.state == "cancelled"
    stored = cancelled.counts.get("stored", 0)
    resumed = corpus.ingest()
    assert resumed.state == "done"
    assert resumed.counts["unchanged"] == stored
    assert resumed.counts["stored"] == 30 - stored
    assert seen[:10] == list(range(10))


@pytest.mark.req("SRC-3")
def test_a_failure_that_may_pass_is_tried_again_a_few_times_and_no_more(corpus: Corpus) -> None:
    corpus.write("slow.html", SLOW)
    with Readers(ReadingSettings(parse_timeout_s=0.05)) as hasty:
        busy = corpus.with_garage(readers=hasty)
        counts = [busy.ingest().counts for _ in range(4)]
    assert counts == [{"failed": 1}, {"failed": 1}, {"failed": 1}, {"unchanged": 1}]


@pytest.mark.req("SRC-3")
def test_a_damaged_file_is_not_tried_again(corpus: Corpus) -> None:
    corpus.write("broken.pdf", b"%PDF-1.4 broken")
    assert [corpus.ingest().counts for _ in range(2)] == [{"failed": 1}, {"unchanged": 1}]


@pytest.mark.req("SRC-3")
def test_a_file_that_failed_on_a_busy_machine_is_stored_by_the_next_run(corpus: Corpus) -> None:
    corpus.write("slow.html", SLOW)
    with Readers(ReadingSettings(parse_timeout_s=0.05)) as hasty:
        assert corpus.with_garage(readers=hasty).ingest().counts == {"failed": 1}
    assert corpus.ingest().counts["stored"] == 1
    assert corpus.ingest().counts == {"unchanged": 1}


@pytest.mark.req("SRC-3")
def test_a_file_that_was_too_large_is_read_when_the_limit_is_raised(corpus: Corpus) -> None:
    corpus.write("long.md", "word " * 50)
    corpus.write("short.md", "word " * 3)
    low = ReadingSettings(max_text_characters=100)
    with Readers(low) as readers:
        strict = corpus.with_garage(readers=readers, reading=low)
        assert strict.ingest().counts["too_large"] == 1
    counts = corpus.ingest().counts
    assert (counts["stored"], counts["unchanged"]) == (1, 1)


@pytest.mark.req("SRC-5")
def test_unchanged_files_are_read_again_when_readers_make_something_else_of_them(
    garage: Garage, tmp_path: Path
) -> None:
    corpus = add_source(garage, tmp_path / "received", "received", default_trust="reference")
    corpus.write("note.md", "---\nauthor: Bo <bo@example.org>\n---\nText.\n")
    corpus.ingest()
    query = "MATCH (d:Document) RETURN d.trust AS trust"
    assert rows(corpus.garage.graph, query) == [{"trust": "reference"}]
    owner = ReadingSettings(self_identities=("bo@example.org",))
    with Readers(owner) as readers:
        mine = corpus.with_garage(readers=readers, reading=owner)
        assert mine.ingest().counts["stored"] == 1
        assert rows(corpus.garage.graph, query) == [{"trust": "authored"}]
        assert mine.ingest().counts == {"unchanged": 1}
