"""Memory files: the well-known names and no others, wherever they lie."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extraction import memory_files, walk
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Draft, Source
from tests.unit.reading import paths_in, source_at, units_of

WELL_KNOWN = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".claude/rules/style.md",
    "AGENTS.md",
    "deep/in/the/tree/AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/python.mdc",
    ".cursor/rules/web/css.mdc",
    ".github/copilot-instructions.md",
    ".github/instructions/tests.instructions.md",
    ".windsurfrules",
    ".clinerules",
    "memory-bank/progress.md",
    ".kiro/steering/product.md",
)
OTHERS = (
    "README.md",
    "notes.md",
    "src/main.py",
    ".claude/settings.json",
    ".claude/notes.md",
    ".github/workflows/test.yml",
    ".cursor/mcp.json",
    "claude.md.bak",
    "node_modules/package/AGENTS.md",
    ".git/AGENTS.md",
    ".venv/lib/CLAUDE.md",
)


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as shared:
        yield shared


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    for name in (*WELL_KNOWN, *OTHERS):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"What {name} says about gauges and bridges.\n")
    return root


def drafts(readers: Readers, source: Source) -> dict[str, Draft]:
    return {draft.path: draft for unit in units_of(readers, source) for draft in unit}


@pytest.mark.req("MFL-1")
def test_the_well_known_files_are_found_and_no_others(folder: Path) -> None:
    assert sorted(paths_in(source_at(folder, "memory"))) == sorted(WELL_KNOWN)


@pytest.mark.req("MFL-1")
def test_what_git_ignores_is_read_and_what_the_source_ignores_is_not(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.md\n.cursorrules\n")
    source = source_at(folder, "memory", ignore=("deep/",))
    assert sorted(paths_in(source)) == sorted(n for n in WELL_KNOWN if not n.startswith("deep/"))


@pytest.mark.req("MFL-1")
@pytest.mark.parametrize(
    ("patterns", "more", "fewer"),
    [
        (("/notes.md",), {"notes.md"}, set[str]()),
        (("!AGENTS.md",), set[str](), {"AGENTS.md", "deep/in/the/tree/AGENTS.md"}),
        (("!/AGENTS.md",), set[str](), {"AGENTS.md"}),
        (("!*", "README.md"), {"README.md"}, set(WELL_KNOWN)),
        (("*.py", "!main.py"), set[str](), set[str]()),
        (("node_modules/package/AGENTS.md",), set[str](), set[str]()),
    ],
)
def test_a_source_adds_to_the_table_and_takes_away(
    folder: Path, patterns: tuple[str, ...], more: set[str], fewer: set[str]
) -> None:
    source = replace(source_at(folder, "memory"), patterns=patterns)
    assert set(paths_in(source)) == (set(WELL_KNOWN) | more) - fewer


@pytest.mark.req("MFL-1")
def test_the_folder_of_an_assistant_itself_may_be_the_root(folder: Path) -> None:
    assert sorted(paths_in(source_at(folder / ".cursor", "memory"))) == [
        "rules/python.mdc",
        "rules/web/css.mdc",
    ]


@pytest.mark.req("MFL-1")
def test_a_link_is_named_and_never_followed(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "CLAUDE.md").symlink_to(folder / "README.md")
    (folder / "sub" / "other.md").symlink_to(folder / "README.md")
    passed = [
        (item.path, item.reason)
        for item in walk.walk(source_at(folder, "memory"), ReadingSettings())
        if isinstance(item, walk.Passed)
    ]
    assert passed == [("sub/CLAUDE.md", "symbolic link")]


@pytest.mark.req("MFL-1")
def test_a_memory_file_is_named_by_its_first_heading_else_by_its_path(
    readers: Readers, folder: Path
) -> None:
    (folder / "CLAUDE.md").write_text("---\ntitle: Not this\n---\n\n# House rules\n\nBe brief.\n")
    source = replace(source_at(folder, "memory"), tags=("mine", "claude"))
    found = drafts(readers, source)
    assert found["CLAUDE.md"].title == "House rules"
    assert found["deep/in/the/tree/AGENTS.md"].title == "deep/in/the/tree/AGENTS.md"
    assert found["CLAUDE.md"].labels == ("claude", "mine")
    assert found[".cursor/rules/python.mdc"].labels == ("cursor", "mine", "claude")
    assert all(each.is_memory_file for each in found.values())
    assert {each.form for each in found.values()} == {"markdown"}


@pytest.mark.req("MFL-1")
def test_in_an_ordinary_source_such_a_file_stays_a_plain_document(
    readers: Readers, folder: Path
) -> None:
    found = drafts(readers, source_at(folder))
    assert not found["CLAUDE.md"].is_memory_file
    assert found["CLAUDE.md"].labels == ()
    assert "README.md" in found


@pytest.mark.req("MFL-1")
def test_every_pattern_of_the_table_means_something_and_presets_have_names_of_their_own() -> None:
    for rule in memory_files.RULES:
        for pattern in rule.patterns:
            path = pattern.replace("**/", "").replace("*", "x")
            assert memory_files.tag_of(path, "home", ()) == rule.tag, pattern
            assert memory_files.tag_of(f"a/b/{path}", "home", ()) == rule.tag, pattern
    slugs = [preset.slug for preset in memory_files.PRESETS]
    assert len(slugs) == len(set(slugs))
    assert all(preset.root.startswith("~/") for preset in memory_files.PRESETS)
