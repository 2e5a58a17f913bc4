"""The walk: what is read, what is passed over and why, and what can be done to it meanwhile."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import walk
from extraction.errors import ReadRefused
from extraction.names import on_disk, part_name, uri_of, visible
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput, NotFound, Unavailable
from tests.unit.reading import found_in, paths_in, source_at


def write(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text\n")


def passed(root: Path) -> dict[str, tuple[str, str]]:
    found = found_in(source_at(root))
    return {x.path: (x.state, x.reason) for x in found if isinstance(x, walk.Passed)}


def only(root: Path) -> walk.Candidate:
    (candidate,) = [x for x in found_in(source_at(root)) if isinstance(x, walk.Candidate)]
    return candidate


@pytest.mark.req("SRC-2")
def test_files_come_in_bytewise_order_of_their_whole_paths(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a/z.txt", "a.txt", "a-b/c.txt", "Z.txt", "é.txt", "a0.txt")
    found = paths_in(source_at(tmp_path))
    assert found == sorted(found, key=os.fsencode)
    assert len(found) == 7


@pytest.mark.req("SRC-2")
def test_hidden_files_and_folders_of_tools_are_not_mentioned_at_all(tmp_path: Path) -> None:
    write(
        tmp_path, ".env", ".git/config", "node_modules/x/index.js", "a/__pycache__/x.txt", "a/b.md"
    )
    assert [x.path for x in found_in(source_at(tmp_path))] == ["a/b.md"]


@pytest.mark.req("SRC-3")
def test_a_file_that_no_reader_knows_is_named_with_its_suffix(tmp_path: Path) -> None:
    write(tmp_path, "photo.JPG", "yarn.lock")
    assert passed(tmp_path) == {
        "photo.JPG": ("skipped", "no reader for .jpg"),
        "yarn.lock": ("skipped", "a lock file made by a tool"),
    }


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C10")
def test_files_of_keys_and_passwords_are_not_even_opened(tmp_path: Path) -> None:
    names = ("id_ed25519", "server.PEM", "prod.env", "vault.kdbx")
    write(tmp_path, *names, "id_ed25519.pub", "environment.md")
    assert passed(tmp_path) == dict.fromkeys(
        names, ("skipped", "a file of keys or passwords: it is never stored")
    )


@pytest.mark.req("SRC-3")
def test_a_file_over_the_limit_is_too_large_and_the_limit_is_named(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(b"x" * 3000)
    (only_one,) = found_in(source_at(tmp_path), ReadingSettings(max_file_bytes=2048))
    assert isinstance(only_one, walk.Passed)
    assert only_one.state == "too_large"
    assert "max_file_bytes" in only_one.reason


@pytest.mark.req("SRC-2")
def test_the_stat_of_a_file_changes_with_its_content_and_only_then(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    before = only(tmp_path)
    assert only(tmp_path).stat == before.stat
    (tmp_path / "a.txt").write_text("tuxt\n")
    os.utime(tmp_path / "a.txt", ns=(1, before.file.stat().st_mtime_ns + 1))
    assert only(tmp_path).stat != before.stat


@pytest.mark.req("SRC-4")
def test_a_missing_root_is_an_error_and_not_an_empty_source(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="not there"):
        walk.walk(source_at(tmp_path / "gone"), ReadingSettings())
    write(tmp_path, "file")
    with pytest.raises(InvalidInput):
        walk.walk(source_at(tmp_path / "file"), ReadingSettings())


IGNORED = {
    "*.log\n!keep.log\n": ("a.log", "keep.log", "x/b.log", "x/keep.log"),
    "/top.txt\n": ("top.txt", "x/top.txt"),
    "docs/*.txt\n": ("docs/a.txt", "x/docs/a.txt", "docs/x/a.txt"),
    "*\n!*/\n!*.py\n": ("a.py", "x/a.py", "x/a.txt", "x/y/z.py"),
    "logs/\n!logs/keep.txt\n": ("logs/keep.txt", "logs/a.txt", "x/logs"),
    "**/gen/**/out.txt\n": ("gen/out.txt", "a/gen/b/c/out.txt", "gen/x.txt"),
    "# comment\n\\#file\ntrail \nspace\\ \n": ("#file", "trail", "space ", "comment"),
    "a[0-9].txt\n?.md\n": ("a1.txt", "ab.txt", "b.md", "bb.md"),
    "foo/*\n!foo/bar\n": ("foo/a", "foo/bar/x", "foo/b/x"),
    "*.TXT\r\nx.md\r\n": ("a.TXT", "a.txt", "x.md"),
    "foo/**\n!foo/*/\n!foo/b/x\n": ("foo/a", "foo/bar/x", "foo/b/x", "foo/b/y"),
    "a/**/\n*/c/\n": ("a/b", "a/b2/c", "x/c/d", "c/x"),
    "x\n!x/\n": ("x/a", "y/x"),
    "a/b/\nb/\n!c/b/\n": ("a/b/x", "c/b/x", "d/b/x", "b/a"),
    "a**b.txt\n": ("aXb.txt", "ab.txt", "a/b.txt"),
}


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("patterns", IGNORED)
def test_ignore_files_mean_what_they_mean_to_git(tmp_path: Path, patterns: str) -> None:
    write(tmp_path, *IGNORED[patterns])
    (tmp_path / ".gitignore").write_bytes(patterns.encode())
    assert paths_in(source_at(tmp_path)) == not_ignored_by_git(tmp_path)


@pytest.mark.req("SRC-2")
def test_the_deepest_ignore_file_decides_as_in_git(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "b.md", "x/a.txt", "x/b.md", "x/y/a.txt", "x/y/b.md", "z/a.txt")
    (tmp_path / ".gitignore").write_text("*.txt\nz/\n")
    (tmp_path / "x/.gitignore").write_text("!a.txt\n*.md\n")
    (tmp_path / "x/y/.gitignore").write_text("!*.md\n/a.txt\n")
    (tmp_path / "z/.gitignore").write_text("!*\n")
    found = paths_in(source_at(tmp_path))
    assert found == not_ignored_by_git(tmp_path)
    assert found == ["b.md", "x/a.txt", "x/y/b.md"]


def not_ignored_by_git(root: Path) -> list[str]:
    subprocess.run(["git", "init", "-q", root], check=True)
    listing = ["git", "-C", root, "ls-files", "-z", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True).stdout.split(b"\0")
    return [n.decode() for n in sorted(names) if n and not n.endswith(b".gitignore")]


@pytest.mark.req("SRC-1")
def test_patterns_of_the_source_and_garageignore_win_over_gitignore(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "b.txt", "c.txt")
    (tmp_path / ".gitignore").write_text("a.txt\n")
    (tmp_path / ".garageignore").write_text("!a.txt\nb.txt\n")
    assert paths_in(source_at(tmp_path)) == ["a.txt", "c.txt"]
    assert paths_in(source_at(tmp_path, ignore=("!b.txt", "c.*"))) == ["a.txt", "b.txt"]


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C09")
@pytest.mark.timeout(20)
def test_a_hostile_ignore_pattern_does_not_hold_up_the_walk(tmp_path: Path) -> None:
    name = "a" * 250
    write(tmp_path, name)
    (tmp_path / ".gitignore").write_text("*a" * 30 + "b\n" + "[\n!\n" + "**/" * 40 + "b\n")
    assert paths_in(source_at(tmp_path)) == [name]


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C03")
def test_links_are_passed_over_and_a_loop_of_folders_ends(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "outside/secret.txt", "root/a/b.txt")
    (root / "file.txt").symlink_to(tmp_path / "outside/secret.txt")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "a/loop").symlink_to(root)
    (root / "dangling").symlink_to("nowhere")
    assert paths_in(source_at(root)) == ["a/b.txt"]
    links = {"file.txt", "folder", "a/loop", "dangling"}
    assert passed(root) == dict.fromkeys(links, ("skipped", "symbolic link"))


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C03")
def test_a_file_swapped_for_a_link_after_the_walk_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.txt", "root/a.txt")
    candidate = only(tmp_path / "root")
    candidate.file.unlink()
    candidate.file.symlink_to(tmp_path / "outside/secret.txt")
    with pytest.raises(ReadRefused, match="symbolic link"):
        walk.load(candidate)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C03")
def test_a_folder_swapped_for_a_link_after_the_walk_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "outside/a.txt", "root/x/a.txt")
    candidate = only(tmp_path / "root")
    (tmp_path / "root/x").rename(tmp_path / "moved")
    (tmp_path / "root/x").symlink_to(tmp_path / "outside")
    with pytest.raises(ReadRefused, match="another file"):
        walk.load(candidate)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C03")
def test_a_folder_swapped_for_a_link_during_the_walk_is_not_entered(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.txt", "root/a.txt", "root/x/b.txt")
    root = tmp_path / "root"
    walking = walk.walk(source_at(root), ReadingSettings())
    assert next(walking).path == "a.txt"
    (root / "x").rename(tmp_path / "moved")
    (root / "x").symlink_to(tmp_path / "outside")
    (left,) = list(walking)
    assert isinstance(left, walk.Passed)
    assert (left.path, left.state) == ("x/", "failed")


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C04")
@pytest.mark.timeout(20)
def test_pipes_sockets_and_devices_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as bound:
        # Bound by a short relative name: the path of a socket is at most some 100 bytes.
        before = Path.cwd()
        os.chdir(tmp_path)
        try:
            bound.bind("door")
        finally:
            os.chdir(before)
        assert passed(tmp_path) == {
            "door": ("skipped", "not a regular file: a socket"),
            "pipe.txt": ("skipped", "not a regular file: a named pipe"),
        }


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C04")
@pytest.mark.timeout(20)
def test_a_pipe_in_the_place_of_a_walked_file_does_not_hang_the_run(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    candidate = only(tmp_path)
    candidate.file.unlink()
    os.mkfifo(candidate.file)
    with pytest.raises(ReadRefused, match="another file"):
        walk.load(candidate)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C04")
def test_a_file_that_vanishes_after_the_walk_has_an_outcome(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    candidate = only(tmp_path)
    candidate.file.unlink()
    with pytest.raises(ReadRefused, match="vanished") as refused:
        walk.load(candidate)
    assert refused.value.state == "failed"


@pytest.mark.req("SRC-3")
def test_a_file_that_grew_over_its_limit_after_the_walk_is_not_read_whole(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    (candidate,) = found_in(source_at(tmp_path), ReadingSettings(max_file_bytes=1024))
    assert isinstance(candidate, walk.Candidate)
    candidate.file.write_bytes(b"x" * 5000)
    with pytest.raises(ReadRefused) as refused:
        walk.load(candidate)
    assert refused.value.state == "too_large"


@pytest.fixture
def unprivileged_root() -> Iterator[Path]:
    """A folder of its own, in which the tests have no more rights than anybody."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o777)
        is_root = os.geteuid() == 0
        os.seteuid(65534) if is_root else None
        inside = root / "inside"
        inside.mkdir()
        try:
            yield inside
        finally:
            os.seteuid(0) if is_root else None
            inside.chmod(0o700)
            for entry in inside.iterdir():
                entry.chmod(0o700)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C04")
def test_what_may_not_be_read_fails_with_its_reason_and_the_rest_goes_on(
    unprivileged_root: Path,
) -> None:
    root = unprivileged_root
    write(root, "closed.txt", "folder/x.txt", "open.txt")
    (root / "closed.txt").chmod(0)
    (root / "folder").chmod(0)
    closed, folder, opened = found_in(source_at(root))
    assert isinstance(closed, walk.Candidate)
    with pytest.raises(ReadRefused, match="no permission"):
        walk.load(closed)
    assert folder == walk.Passed("folder/", "failed", "folder: no permission to read it")
    assert isinstance(opened, walk.Candidate)
    root.chmod(0)
    with pytest.raises(Unavailable, match="no permission"):
        found_in(source_at(root))
    root.chmod(0o777)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C04")
def test_a_tree_deeper_than_the_longest_path_has_an_outcome_and_ends(tmp_path: Path) -> None:
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(50):  # 50 × 101 bytes: longer than a path may be
        os.mkdir("d" * 100, dir_fd=deep)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    (left,) = found_in(source_at(tmp_path))
    assert isinstance(left, walk.Passed)
    assert left.state == "failed"
    assert "longer" in left.reason


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C04")
def test_names_with_line_feeds_and_invalid_utf8_are_read_and_stay_apart(tmp_path: Path) -> None:
    names = [b"a\nb.txt", b"a\xffb.txt", b"a%FFb.txt", b"a%25FFb.txt", b"100%.txt"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    candidates = [x for x in found_in(source_at(tmp_path)) if isinstance(x, walk.Candidate)]
    assert len({c.path.encode("utf-8") for c in candidates}) == len(names)
    assert {walk.load(c).data for c in candidates} == set(names)
    assert "100%.txt" in [c.path for c in candidates]


@pytest.mark.req("SRC-2")
@given(st.lists(st.text("a%258FfD#\udcff\udc80\udcf0", max_size=8), min_size=2, unique=True))
def test_two_names_never_share_a_path_or_a_uri(names: list[str]) -> None:
    shown = [visible(name) for name in names]
    assert len(set(shown)) == len(names)
    assert [on_disk(path) for path in shown] == names
    source = source_at(Path("anywhere"))
    uris = {uri_of(source, path, "") for path in shown}
    assert len({uri.encode() for uri in uris}) == len(names)
    assert not any("#" in uri for uri in uris)


@pytest.mark.req("SRC-6")
@pytest.mark.campaign("C06")
@given(st.text())
def test_the_name_of_an_attachment_never_leads_anywhere(name: str) -> None:
    part = part_name(1, name)
    assert not set(part) & set("/\\#:\0\n")
    assert ".." not in part[:4]
    assert len(part) < 140


@pytest.mark.req("SRC-1")
def test_a_maildir_message_keeps_its_path_when_its_flags_change(tmp_path: Path) -> None:
    for folder in ("", ".Sent/", "Archive/2024/"):
        for shelf in ("cur", "new", "tmp"):
            (tmp_path / folder / shelf).mkdir(parents=True)
    write(tmp_path, "new/1.host", "cur/2.host:2,", ".Sent/cur/3.host:2,S", "tmp/4.host", "dovecot")
    write(tmp_path, "Archive/2024/cur/5.host:2,RS")
    source = source_at(tmp_path, "maildir")
    before = paths_in(source)
    assert before == ["1.host", "2.host", ".Sent/3.host", "Archive/2024/5.host"]
    (tmp_path / "new/1.host").rename(tmp_path / "cur/1.host:2,FS")
    (tmp_path / "cur/2.host:2,").rename(tmp_path / "cur/2.host:2,ST")
    assert paths_in(source) == before


@pytest.mark.req("SRC-4")
def test_a_folder_without_a_maildir_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt")
    with pytest.raises(InvalidInput, match="no maildir"):
        found_in(source_at(tmp_path, "maildir"))


@pytest.mark.req("SRC-1")
def test_an_mbox_source_is_one_file_or_a_folder_of_them(tmp_path: Path) -> None:
    write(tmp_path, "Inbox", "Inbox.msf", "Archive.sbd/2024")
    assert paths_in(source_at(tmp_path, "mbox")) == ["Archive.sbd/2024", "Inbox"]
    assert paths_in(source_at(tmp_path / "Inbox", "mbox")) == ["Inbox"]
