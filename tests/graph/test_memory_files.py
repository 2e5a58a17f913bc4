"""Memory files in the graph: memories like others, whose truth is the file."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from api.ops import ingest, memories, memory_lists, recall, source_presets, sources
from api.ops.garage import Garage
from api.ops.memories import ChangeRequest
from api.ops.memory_lists import ListRequest
from api.ops.recall import RecallRequest
from api.ops.sources import SourceRequest
from graphstore.errors import Conflict, InvalidInput, Refused
from graphstore.memories import Memory, MemoryFilter
from tests.graph.conftest import OWNER, Corpus, rows


@pytest.fixture
def rules(corpus: Corpus) -> Corpus:
    """A folder of memory files beside the notes, ingested."""
    root = corpus.root.with_name("rules")
    root.mkdir()
    sources.set_up(corpus.garage)
    request = SourceRequest("rules", str(root), kind="memory", tags=("mine",))
    sources.add(corpus.garage, OWNER, request)
    made = replace(corpus, root=root, slug="rules")
    made.write("CLAUDE.md", "# House rules\n\nAnswer in short sentences about gauges.\n")
    made.write("project/.cursor/rules/a.mdc", "Never use tabs.\n")
    made.write("README.md", "A plain file that is nobody's memory.\n")
    made.ingest()
    made.embed()
    return made


def listed(garage: Garage, **wanted: str) -> dict[str, Memory]:
    page = memory_lists.listed(garage, ListRequest(MemoryFilter(**wanted)))
    return {each.file or each.text: each for each in page.memories}


@pytest.mark.req("MFL-1")
def test_memory_files_become_memories_with_title_tags_and_file(rules: Corpus) -> None:
    found = listed(rules.garage)
    claude = found[f"{rules.root}/CLAUDE.md"]
    cursor = found[f"{rules.root}/project/.cursor/rules/a.mdc"]
    assert len(found) == 2
    assert (claude.title, claude.tags, claude.origin) == ("House rules", ("claude", "mine"), "file")
    assert (cursor.title, cursor.tags) == ("project/.cursor/rules/a.mdc", ("cursor", "mine"))
    assert (claude.is_editable, claude.confirmed, claude.status) == (False, True, "active")
    assert (claude.uri, claude.source) == ("rules:CLAUDE.md", "rules")
    assert listed(rules.garage, tag="cursor").keys() == {cursor.file}
    result = recall.recall(rules.garage, OWNER, RecallRequest("short sentences about gauges"))
    assert [each.memory.uid for each in result.memories] == [claude.uid]


@pytest.mark.req("MFL-2")
@pytest.mark.campaign("C14")
def test_write_tools_refuse_a_memory_file_and_name_it(rules: Corpus) -> None:
    garage = rules.garage
    uid = listed(garage)[f"{rules.root}/CLAUDE.md"].uid
    query = "MATCH (n) WHERE NOT n:GraphVersion RETURN count(n) AS n, sum(size(keys(n))) AS keys"
    before = rows(garage.graph, query)
    acts: list[Callable[[], object]] = [
        lambda: memories.update(garage, OWNER, uid, ChangeRequest(tags=("x",))),
        lambda: memories.forget(garage, OWNER, uid),
        lambda: memories.forget(garage, OWNER, uid, dry_run=True),
        lambda: memories.confirm(garage, OWNER, uid),
        lambda: memories.undo(garage, OWNER, uid),
    ]
    for act in acts:
        with pytest.raises(Refused, match=r"CLAUDE\.md") as caught:
            act()
        assert str(rules.root) in caught.value.message
        assert "garage ingest rules" in caught.value.hint
    assert rows(garage.graph, query) == before


@pytest.mark.req("MFL-1")
def test_an_edit_of_the_file_is_an_edit_of_the_memory_and_its_end_the_end(rules: Corpus) -> None:
    garage = rules.garage
    before = listed(garage)[f"{rules.root}/CLAUDE.md"]
    recall.recall(garage, OWNER, RecallRequest("short sentences about gauges"))
    rules.write("CLAUDE.md", "# Other rules\n\nAnswer in long sentences about gauges.\n")
    rules.ingest()
    after = memory_lists.get(garage, before.uid)
    assert (after.title, after.revision, after.recall_count) == ("Other rules", 2, 1)
    assert "long sentences" in after.text
    (rules.root / "CLAUDE.md").unlink()
    rules.ingest()
    assert before.uid not in {each.uid for each in listed(garage).values()}


@pytest.mark.req("MFL-1")
def test_other_tags_of_the_source_reach_memories_that_are_there(rules: Corpus) -> None:
    request = SourceRequest("rules", str(rules.root), kind="memory", tags=("ours",))
    sources.add(rules.garage, OWNER, request)
    rules.ingest()
    found = listed(rules.garage)[f"{rules.root}/CLAUDE.md"]
    assert found.tags == ("claude", "ours")


@pytest.mark.req("MEM-2")
def test_a_store_is_never_read_undeclared_or_turned_into_something_else(rules: Corpus) -> None:
    garage = rules.garage
    with pytest.raises(Conflict, match="filled by writing"):
        ingest.new_run(garage, OWNER, "default", "tests")
    sources.declare(garage, OWNER, SourceRequest("work", "memory://", declared=True))
    sources.undeclare(garage, OWNER, [])
    found = {each.slug: each for each in sources.listed(garage)}
    assert found["work"].standing == "declared"
    assert not found["work"].automatic
    assert found["rules"].automatic
    with pytest.raises(Conflict):
        sources.add(garage, OWNER, SourceRequest("work", str(rules.root)))
    with pytest.raises(Conflict, match="kind memory"):
        sources.add(garage, OWNER, SourceRequest("rules", str(rules.root), kind="filesystem"))
    with pytest.raises(InvalidInput, match="store of memories"):
        sources.add(garage, OWNER, SourceRequest("drop", "memory://", kind="inbox"))
    with pytest.raises(InvalidInput, match="Patterns and tags"):
        sources.add(garage, OWNER, SourceRequest("plain", str(rules.root), tags=("x",)))


@pytest.mark.req("MFL-1")
def test_presets_say_whether_their_folder_is_there_and_read_already(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = corpus.root.with_name("home")
    (home / ".claude").mkdir(parents=True)
    (home / ".cursor").mkdir()
    monkeypatch.setenv("HOME", str(home))
    by_slug = {each.request.slug: each for each in source_presets.offered(corpus.garage)}
    assert {slug for slug, each in by_slug.items() if each.is_there} == {"claude", "cursor"}
    sources.add(corpus.garage, OWNER, by_slug["claude"].request)
    again = {each.request.slug: each for each in source_presets.offered(corpus.garage)}
    assert {slug for slug, each in again.items() if each.is_added} == {"claude"}
