"""The corpus in examples/: it can be made again, and what the README promises is in it."""

import email
import json
import re
import subprocess
import sys
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import nbformat
import pytest
from pypdf import PdfReader
from pypdf.errors import PdfReadError

from graphstore.records import SourceKind
from tests.unit.reading import paths_in, source_at

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTES = EXAMPLES / "notes"
ROOTS = {"notes": NOTES, "code": EXAMPLES / "code", "mail": EXAMPLES / "mail"}

SCRIPTS = {
    "Latin": re.compile(r"[A-Za-zÀ-ɏ]"),
    "Greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "Han": re.compile(r"[\u4e00-\u9fff]"),
}


def run_script(name: str, target: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / name, target], check=True, capture_output=True)


def git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", repository, *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def questions() -> list[dict[str, Any]]:
    return json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))["questions"]


def messages() -> list[EmailMessage]:
    paths = sorted(path for part in ("cur", "new") for path in (EXAMPLES / "mail" / part).iterdir())
    return [email.message_from_bytes(path.read_bytes(), policy=policy.default) for path in paths]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("examples") / "repo"
    run_script("make_repo.py", target)
    return target


@pytest.mark.req("RUN-1")
def test_building_again_gives_the_committed_pdf_and_docx_byte_for_byte(tmp_path: Path):
    run_script("build.py", tmp_path)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built == {name: (NOTES / name).read_bytes() for name in built}
    assert {Path(name).suffix for name in built} == {".pdf", ".docx"}


@pytest.mark.req("RUN-1")
def test_making_the_repository_twice_gives_the_same_head(repository: Path, tmp_path: Path):
    run_script("make_repo.py", tmp_path / "again")
    head = git(repository, "rev-parse", "HEAD")
    assert re.fullmatch(r"[0-9a-f]{40}\n", head)
    assert git(tmp_path / "again", "rev-parse", "HEAD") == head


@pytest.mark.req("RUN-1")
def test_the_repository_is_never_written_over_a_folder_with_content(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(subprocess.CalledProcessError) as refusal:
        run_script("make_repo.py", tmp_path)
    assert b"is not empty" in refusal.value.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.req("RUN-1")
def test_every_document_that_a_question_names_exists(repository: Path):
    kinds: dict[str, SourceKind] = {"mail": "maildir", "repo": "git"}
    read = {
        f"{slug}:{path}"
        for slug, root in {**ROOTS, "repo": repository}.items()
        for path in paths_in(source_at(root, kinds.get(slug, "filesystem")))
    }
    named = {uri for question in questions() for uri in question["documents"]}
    assert sorted({uri.partition("#")[0] for uri in named} - read) == []
    assert {uri.partition(":")[0] for uri in named} == {*ROOTS, "repo"}


@pytest.mark.req("RUN-1")
def test_every_question_has_its_own_id_and_only_unanswerable_ones_have_no_document():
    asked = questions()
    assert len({question["id"] for question in asked}) == len(asked) >= 20
    for question in asked:
        assert (question["documents"] == []) == (question["kind"] == "unanswerable"), question
        assert ("as_of" in question) == (question["kind"] == "changed-fact"), question


@pytest.mark.req("RUN-1")
def test_a_changed_fact_is_asked_before_and_after_its_change():
    answers: dict[str, set[str]] = {}
    for question in questions():
        if question["kind"] == "changed-fact":
            answers.setdefault(question["question"], set()).add(question["answer"])
    assert sum(len(values) >= 2 for values in answers.values()) >= 3


@pytest.mark.req("RUN-1")
def test_two_people_share_the_name_jonas_weber():
    senders = {
        address.addr_spec
        for message in messages()
        for address in message["from"].addresses
        if address.display_name.endswith("Jonas Weber")
    }
    assert len(senders) == 2
    people = (NOTES / "people.md").read_text(encoding="utf-8")
    assert all(address in people for address in senders)


@pytest.mark.req("RUN-1")
def test_one_address_writes_under_two_spellings_in_mail_and_commits(repository: Path):
    address = "katarzyna.nowak@example.com"
    spellings = {"Katarzyna Nowak", "Kasia Nowak"}
    senders = [sender for message in messages() for sender in message["from"].addresses]
    assert {s.display_name for s in senders if s.addr_spec == address} == spellings
    authors = set(git(repository, "log", "--format=%an <%ae>").splitlines())
    assert {f"{name} <{address}>" for name in spellings} < authors


@pytest.mark.req("RUN-1")
def test_the_notes_are_written_in_three_scripts():
    counts = dict.fromkeys(SCRIPTS, 0)
    for path in NOTES.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for script, letters in SCRIPTS.items():
            counts[script] = max(counts[script], len(letters.findall(text)))
    assert min(counts.values()) > 200, counts


@pytest.mark.req("RUN-1")
def test_the_mail_holds_a_thread_an_attachment_html_and_an_old_charset():
    by_id = {message["message-id"]: message for message in messages()}
    parents = {key: by_id[key]["in-reply-to"] for key in by_id if by_id[key]["in-reply-to"]}
    assert any(parents.get(parent) in by_id for parent in parents.values())
    attachments = [part for message in by_id.values() for part in message.iter_attachments()]
    assert [part.get_filename() for part in attachments] == ["loadtest-2026-05-14.txt"]
    kinds = {part.get_content_type() for message in by_id.values() for part in message.walk()}
    assert "text/html" in kinds
    old = [m for m in by_id.values() if m.get_content_charset() == "iso-8859-1"]
    assert ["Schlüssel" in message.get_content() for message in old] == [True]


@pytest.mark.req("RUN-1")
def test_the_corpus_has_an_empty_file_a_broken_pdf_a_binary_and_an_ignored_draft():
    assert (NOTES / "empty.md").read_bytes() == b""
    assert b"\0" in (NOTES / "gauge-raw.bin").read_bytes()
    with pytest.raises(PdfReadError):
        PdfReader(NOTES / "scan-damaged.pdf")
    assert "drafts/" in (NOTES / ".gitignore").read_text().splitlines()
    assert (NOTES / "drafts" / "novel.md").stat().st_size > 0  # tracked with `git add --force`


@pytest.mark.req("RUN-1")
def test_the_notebook_is_valid_and_keeps_its_outputs():
    notebook = nbformat.read(EXAMPLES / "code" / "november-rise.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert {cell.cell_type for cell in notebook.cells} == {"markdown", "code"}
    assert all(cell.outputs for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.req("RUN-1")
def test_no_name_in_the_corpus_is_illegal_on_another_system():
    names = [path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*")]
    assert [name for name in names if re.search(r'[<>:"\\|?*\x00-\x1f]|[. ]$', name)] == []


@pytest.mark.req("RUN-1")
def test_every_mail_and_web_address_in_the_corpus_is_a_reserved_one():
    reserved = re.compile(r"(^|\.)example\.(org|com|net)$")
    found: set[str] = set()
    for root in (*ROOTS.values(), EXAMPLES / "sources", EXAMPLES / "repo"):
        for path in root.rglob("*"):
            if path.is_file() and path.suffix not in {".bin", ".pdf", ".docx"}:
                text = path.read_bytes().decode("utf-8", errors="replace")
                found.update(re.findall(r"[\w.-]+@([\w-]+(?:\.[\w-]+)+)", text))
                found.update(re.findall(r"https?://([\w.-]+)", text))
    assert found
    assert [host for host in sorted(found) if not reserved.search(host)] == []
