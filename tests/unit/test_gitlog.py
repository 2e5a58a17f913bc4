"""Git: tracked files and authors, also of a repository that wants to run programs."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction import gitlog
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput
from graphstore.records import Author
from tests.unit.reading import found_in, paths_in, source_at

ADA = Author("Ada Example", "email:ada@example.org")
BO = Author("Bo Example", "email:bo@example.org")


def git(root: Path, *arguments: str, who: Author = ADA, date: str = "") -> None:
    address = (who.identity or "").removeprefix("email:")
    person = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", who.name), ("EMAIL", address))
    }
    person |= {"GIT_COMMITTER_DATE": date} if date else {}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.defpath}
    command = ["git", "-C", root, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=person | quiet)


def commit(root: Path, name: str, text: str, who: Author, date: str = "") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    git(root, "add", "-f", name)
    message = f"\x1e not a \x1f commit: {text}"
    git(root, "commit", "-q", "-m", message, who=who, date=date)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "-q")
    return root


def authors(root: Path) -> dict[str, tuple[Author, ...]]:
    found = gitlog.history(root, ReadingSettings())
    return {path: written.authors for path, written in found.items()}


@pytest.mark.req("SRC-6")
def test_authors_come_by_number_of_commits(repository: Path) -> None:
    for number, who in enumerate((ADA, BO, BO)):
        commit(repository, "a.txt", str(number), who)
    commit(repository, "sub/ü\nb.txt", "x", ADA)
    assert authors(repository) == {"a.txt": (BO, ADA), "sub/ü\nb.txt": (ADA,)}
    assert authors(repository / "sub") == {"ü\nb.txt": (ADA,)}


@pytest.mark.req("SRC-6")
def test_the_mailmap_of_a_repository_is_honoured(repository: Path) -> None:
    commit(repository, "a.txt", "1", Author("ada", "email:old@example.org"))
    line = "Ada Example <ada@example.org> <old@example.org>\n"
    commit(repository, ".mailmap", line, ADA)
    assert authors(repository)["a.txt"] == (ADA,)


@pytest.mark.req("SRC-1")
def test_a_file_is_dated_by_the_last_commit_that_touched_it(repository: Path) -> None:
    commit(repository, "a.txt", "1", ADA, "2020-01-02T03:04:05+00:00")
    commit(repository, "b.txt", "1", ADA, "2021-01-02T03:04:05+01:00")
    commit(repository, "a.txt", "2", ADA, "2022-01-02T03:04:05+00:00")
    commit(repository, "c.txt", "1", ADA, "@7300000000 +0000")
    commit(repository, "\x1ed.txt", "1", ADA, "2023-01-02T03:04:05+00:00")
    found = gitlog.history(repository, ReadingSettings())
    assert {path: written.at for path, written in found.items()} == {
        "a.txt": datetime(2022, 1, 2, 3, 4, 5, tzinfo=UTC),
        "b.txt": datetime(2021, 1, 2, 2, 4, 5, tzinfo=UTC),
        "c.txt": None,
        "\x1ed.txt": datetime(2023, 1, 2, 3, 4, 5, tzinfo=UTC),
    }


@pytest.mark.req("SRC-6")
def test_a_repository_without_a_commit_has_no_authors(repository: Path) -> None:
    assert authors(repository) == {}


@pytest.mark.req("SRC-1")
def test_a_git_source_has_the_tracked_files_of_the_work_tree_only(repository: Path) -> None:
    for name in ("b.txt", "a/x.txt", "build/made.txt", ".hidden", "gone.txt", "drop/y.txt"):
        commit(repository, name, name, ADA)
    (repository / "untracked.txt").write_text("x")
    (repository / "gone.txt").unlink()
    (repository / ".gitignore").write_text("b.txt\n")
    (repository / "link.txt").symlink_to("b.txt")
    git(repository, "add", "-f", "link.txt")
    (repository / ".garageignore").write_text("drop/\n")
    assert paths_in(source_at(repository, "git")) == ["a/x.txt", "b.txt", "build/made.txt"]
    assert paths_in(source_at(repository / "a", "git")) == ["x.txt"]


@pytest.mark.req("SRC-1")
@pytest.mark.campaign("C03")
def test_a_tracked_folder_that_became_a_link_is_not_followed(repository: Path) -> None:
    commit(repository, "a/x.txt", "x", ADA)
    (repository / "a").rename(repository.parent / "outside")
    (repository / "a").symlink_to(repository.parent / "outside")
    assert found_in(source_at(repository, "git")) == []


@pytest.mark.req("SRC-1")
def test_a_folder_that_is_no_work_tree_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a Git work tree"):
        found_in(source_at(tmp_path, "git"))


HOSTILE = {
    "core.fsmonitor": "{run}",
    "core.pager": "{run}",
    "core.editor": "{run}",
    "core.sshCommand": "{run}",
    "core.gitProxy": "{run}",
    "core.hooksPath": "{hooks}",
    "core.alternateRefsCommand": "{run}",
    "diff.external": "{run}",
    "diff.evil.textconv": "{run}",
    "diff.evil.command": "{run}",
    "filter.evil.clean": "{run}",
    "filter.evil.smudge": "{run}",
    "filter.evil.process": "{run}",
    "filter.evil.required": "true",
    "log.showSignature": "true",
    "gpg.program": "{run}",
    "gpg.ssh.program": "{run}",
    "credential.helper": "!{run}",
    "alias.log": "!{run}",
    "alias.ls-files": "!{run}",
    "pager.log": "{run}",
    "interactive.diffFilter": "{run}",
}


@pytest.mark.req("SRC-2")
@pytest.mark.req("PRV-3")
def test_nothing_that_a_hostile_repository_configures_is_executed(
    repository: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "executed"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {marker}\ncat\n")
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).symlink_to(program)
    commit(repository, "a.txt", "1", ADA)
    commit(repository, ".gitattributes", "* diff=evil filter=evil\n", ADA)
    for key, value in HOSTILE.items():
        git(repository, "config", key, value.format(run=program, hooks=hooks))
    (repository / "a.txt").write_text("changed")
    # The trap is live: Git itself springs it when nothing is hardened.
    subprocess.run(["git", "-C", repository, "status"], check=False, capture_output=True)
    assert marker.exists()
    marker.unlink()
    assert authors(repository)["a.txt"] == (ADA,)
    assert paths_in(source_at(repository, "git")) == ["a.txt"]
    assert not marker.exists()
