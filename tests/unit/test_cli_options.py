"""Every option of every command: what it is set to arrives in the variables of the operation."""

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main

from api.cli.app import app, run
from tests.stand_in import StandIn, standing_in


@dataclass(frozen=True)
class Case:
    """An option, set, and where its value has to arrive."""

    command: str
    parameter: str
    arguments: tuple[str, ...]
    operation: str
    variable: str
    value: Any


def case(command: str, parameter: str, arguments: str, arrives: str, value: Any) -> Case:
    operation, variable = arrives.split(".")
    return Case(command, parameter, tuple(arguments.split(" ")), operation, variable, value)


CASES = (
    case("add-source", "slug", "add-source s /r", "AddSource.slug", "s"),
    case("add-source", "root", "add-source s /r", "AddSource.root", "/r"),
    case("add-source", "kind", "add-source s /r --kind git", "AddSource.kind", "git"),
    case(
        "add-source",
        "corpus_class",
        "add-source s /r --class code",
        "AddSource.defaultClass",
        "code",
    ),
    case(
        "add-source",
        "trust",
        "add-source s /r --trust received",
        "AddSource.defaultTrust",
        "received",
    ),
    case(
        "add-source",
        "ignore",
        "add-source s /r --ignore *.log --ignore tmp",
        "AddSource.ignore",
        ["*.log", "tmp"],
    ),
    case(
        "add-source",
        "pattern",
        "add-source s /r --pattern a.md --pattern !b.md",
        "AddSource.patterns",
        ["a.md", "!b.md"],
    ),
    case("add-source", "tag", "add-source s /r --tag rules", "AddSource.tags", ["rules"]),
    case("remove-source", "slug", "remove-source s --yes", "RemoveSource.slug", "s"),
    case(
        "remove-source",
        "reason",
        "remove-source s --yes --reason old",
        "RemoveSource.reason",
        "old",
    ),
    case(
        "remove-source",
        "keep_documents",
        "remove-source s --yes --keep-documents",
        "RemoveSource.keepDocuments",
        True,
    ),
    case(
        "remove-source",
        "discard_kept",
        "remove-source kept --yes --discard-kept",
        "RemoveSource.discardKept",
        True,
    ),
    case("documents", "source", "documents --source s", "Documents.source", "s"),
    case("documents", "first", "documents --first 7", "Documents.first", 7),
    case("documents", "after", "documents --after c", "Documents.after", "c"),
    case("files", "slug", "files s", "Files.source", "s"),
    case(
        "files",
        "state",
        "files --state failed --state skipped",
        "Files.states",
        ["failed", "skipped"],
    ),
    case("files", "limit", "files --limit 7", "Files.limit", 7),
    case("ingest", "slugs", "ingest s", "Ingest.slug", "s"),
    case(
        "ingest",
        "accept_missing_root",
        "ingest s --accept-missing-root",
        "Ingest.acceptMissingRoot",
        True,
    ),
    case("ingest", "yes", "ingest s --yes", "Ingest.confirm", True),
    case("search", "query", "search words", "Search.query", "words"),
    case("search", "limit", "search q --limit 7", "Search.limit", 7),
    case(
        "search",
        "include",
        "search q --include fact --include chunk",
        "Search.include",
        ["fact", "chunk"],
    ),
    case("search", "source", "search q --source a --source b", "Search.sources", ["a", "b"]),
    case("search", "corpus_class", "search q --class code", "Search.classes", ["code"]),
    case("search", "trust", "search q --trust received", "Search.trusts", ["received"]),
    case("search", "mime", "search q --mime text/html", "Search.mimes", ["text/html"]),
    case("search", "author", "search q --author Mara", "Search.authors", ["Mara"]),
    case("search", "since", "search q --since 2026-01-02", "Search.since", "2026-01-02T00:00:00"),
    case("search", "until", "search q --until 2026-02-03", "Search.until", "2026-02-03T00:00:00"),
    case("search", "explain", "search q --explain", "Search.explain", True),
    case("read", "document", "read notes:a.md", "Read.reference", "notes:a.md"),
    case("read", "start", "read d --start 7", "Read.start", 7),
    case("read", "max_characters", "read d --max-characters 9", "Read.maxCharacters", 9),
    case("memory add", "text", "memory add text", "Remember.text", "text"),
    case("memory add", "title", "memory add text --title T", "Remember.title", "T"),
    case("memory add", "source", "memory add text --source s", "Remember.source", "s"),
    case(
        "memory add", "corpus_class", "memory add text --class code", "Remember.corpusClass", "code"
    ),
    case("memory add", "trust", "memory add text --trust reference", "Remember.trust", "reference"),
    case("memory add", "kind", "memory add text --kind fact", "Remember.kind", "fact"),
    case(
        "memory add", "importance", "memory add text --importance 0.25", "Remember.importance", 0.25
    ),
    case(
        "memory add",
        "expires",
        "memory add text --expires 2027-01-02",
        "Remember.expiresAt",
        "2027-01-02T00:00:00",
    ),
    case("memory add", "tag", "memory add text --tag a --tag b", "Remember.tags", ["a", "b"]),
    case(
        "memory add",
        "subject",
        "memory add text --subject a --subject b",
        "Remember.subjects",
        ["a", "b"],
    ),
    case(
        "memory add",
        "evidence",
        "memory add text --evidence a --evidence b",
        "Remember.evidence",
        ["a", "b"],
    ),
    case("memory list", "source", "memory list --source s", "Memories.source", "s"),
    case("memory list", "tag", "memory list --tag t", "Memories.tag", "t"),
    case("memory list", "kind", "memory list --kind fact", "Memories.kind", "fact"),
    case("memory list", "status", "memory list --status archived", "Memories.status", "archived"),
    case("memory list", "origin", "memory list --origin file", "Memories.origin", "file"),
    case("memory list", "query", "memory list --query q", "Memories.text", "q"),
    case("memory list", "limit", "memory list --limit 7", "Memories.first", 7),
    case("memory list", "after", "memory list --after c", "Memories.after", "c"),
    case("memory show", "identity", "memory show i", "Memory.id", "i"),
    case("memory edit", "identity", "memory edit i --title T", "UpdateMemory.id", "i"),
    case("memory edit", "text", "memory edit i --text x", "UpdateMemory.text", "x"),
    case("memory edit", "title", "memory edit i --title T", "UpdateMemory.title", "T"),
    case("memory edit", "kind", "memory edit i --kind fact", "UpdateMemory.kind", "fact"),
    case(
        "memory edit",
        "importance",
        "memory edit i --importance 0.25",
        "UpdateMemory.importance",
        0.25,
    ),
    case(
        "memory edit",
        "expires",
        "memory edit i --expires 2027-01-02",
        "UpdateMemory.expiresAt",
        "2027-01-02T00:00:00",
    ),
    case(
        "memory edit", "revision", "memory edit i --revision 7", "UpdateMemory.expectedRevision", 7
    ),
    case("memory edit", "tag", "memory edit i --tag a --tag b", "UpdateMemory.tags", ["a", "b"]),
    case("memory edit", "clear_tags", "memory edit i --clear-tags", "UpdateMemory.tags", []),
    case(
        "memory edit",
        "subject",
        "memory edit i --subject a --subject b",
        "UpdateMemory.subjects",
        ["a", "b"],
    ),
    case(
        "memory edit",
        "clear_subjects",
        "memory edit i --clear-subjects",
        "UpdateMemory.subjects",
        [],
    ),
    case(
        "memory edit",
        "never_expires",
        "memory edit i --never-expires",
        "UpdateMemory.neverExpires",
        True,
    ),
    case("memory recall", "query", "memory recall q", "Recall.query", "q"),
    case("memory recall", "kind", "memory recall q --kind a --kind b", "Recall.kinds", ["a", "b"]),
    case(
        "memory recall",
        "source",
        "memory recall q --source a --source b",
        "Recall.sources",
        ["a", "b"],
    ),
    case("memory recall", "limit", "memory recall q --limit 7", "Recall.limit", 7),
    case(
        "memory recall",
        "as_of",
        "memory recall q --as-of 2026-01-02",
        "Recall.asOf",
        "2026-01-02T00:00:00",
    ),
    case(
        "memory recall",
        "include_archived",
        "memory recall q --include-archived",
        "Recall.includeArchived",
        True,
    ),
    case("memory confirm", "identity", "memory confirm i", "ConfirmMemory.id", "i"),
    case(
        "memory confirm",
        "revision",
        "memory confirm i --revision 7",
        "ConfirmMemory.expectedRevision",
        7,
    ),
    case("memory history", "identity", "memory history i", "MemoryHistory.id", "i"),
    case("memory undo", "identity", "memory undo i", "UndoMemory.id", "i"),
    case("memory undo", "to", "memory undo i --to 3", "UndoMemory.number", 3),
    case("memory undo", "revision", "memory undo i --revision 7", "UndoMemory.expectedRevision", 7),
    case(
        "memory forget", "identities", "memory forget i j --yes", "ForgetMemories.ids", ["i", "j"]
    ),
    case("memory forget", "dry_run", "memory forget i --dry-run", "ForgetMemories.dryRun", True),
    case("memory rm", "identities", "memory rm i j --yes", "ForgetMemories.ids", ["i", "j"]),
    case("memory rm", "dry_run", "memory rm i --dry-run", "ForgetMemories.dryRun", True),
    case("memory core edit", "block", "memory core edit user x", "EditCoreMemory.block", "user"),
    case("memory core edit", "text", "memory core edit user x", "EditCoreMemory.text", "x"),
    case("memory core edit", "clear", "memory core edit user --clear", "EditCoreMemory.text", ""),
    case(
        "memory core edit",
        "revision",
        "memory core edit user x --revision 7",
        "EditCoreMemory.expectedRevision",
        7,
    ),
    case("store", "title", "store README.md --title T", "Store.title", "T"),
    case("store", "kind", "store README.md --kind clipping", "Store.kind", "clipping"),
    case(
        "store",
        "corpus_class",
        "store README.md --class reference",
        "Store.corpusClass",
        "reference",
    ),
    case("store", "category", "store README.md --category c", "Store.category", "c"),
    case("store", "distil", "store README.md --distil none", "Store.distil", "none"),
    case(
        "store", "subject", "store README.md --subject a --subject b", "Store.subjects", ["a", "b"]
    ),
    case("store", "remember", "store README.md --remember", "Store.remember", True),
    case("work", "budget", "work --budget 10m", "Work.budgetS", 600.0),
    case("work", "kind", "work --kind a --kind b", "Work.kinds", ["a", "b"]),
    case("jobs list", "state", "jobs list --state failed", "Jobs.state", "failed"),
    case("jobs list", "kind", "jobs list --kind link", "Jobs.kind", "link"),
    case("jobs list", "first", "jobs list --first 7", "Jobs.first", 7),
    case("jobs list", "after", "jobs list --after c", "Jobs.after", "c"),
    case("jobs retry", "uids", "jobs retry a b", "RetryJobs.jobs", ["a", "b"]),
    case("jobs retry", "kind", "jobs retry --kind link", "RetryJobs.kind", "link"),
    case("jobs drop", "uids", "jobs drop a b --yes", "DropJobs.jobs", ["a", "b"]),
    case("jobs drop", "state", "jobs drop --state queued --yes", "DropJobs.state", "queued"),
    case("jobs drop", "kind", "jobs drop --kind link --yes", "DropJobs.kind", "link"),
    case("facts", "document", "facts notes:a.md", "Facts.reference", "notes:a.md"),
    case("facts", "as_of", "facts d --as-of 2026-01-02", "Facts.asOf", "2026-01-02T00:00:00"),
    case(
        "facts", "known_at", "facts d --known-at 2026-01-02", "Facts.knownAt", "2026-01-02T00:00:00"
    ),
    case("facts", "ended", "facts d --ended", "Facts.ended", True),
    case("log", "limit", "log --limit 7", "Log.limit", 7),
    case("log", "verb", "log --verb ingest", "Log.verb", "ingest"),
    case("log", "actor", "log --actor cli", "Log.actor", "cli"),
    case("log", "before", "log --before u", "Log.before", "u"),
)

HERE_ONLY = {
    ("add-source", "presets"),  # asks another operation
    ("memory edit", "text_file"),  # what it holds is the text
    ("memory core edit", "text_file"),
    ("store", "file"),
    ("memory forget", "yes"),
    ("memory rm", "yes"),
    ("jobs drop", "yes"),
    ("remove-source", "yes"),  # answers a question that the command asks
    ("serve", "background"),
    ("doctor", "fix"),
    ("serve", "install"),
    ("serve", "uninstall"),
    ("serve", "only_print"),
    ("open", "only_print"),
    ("demo", "serve"),
    ("demo", "examples"),
    ("config get", "name"),
    ("config get", "origin"),
    ("config show", "origin"),
    ("config set", "key"),
    ("config set", "value"),
    ("config unset", "key"),
    ("config check", "file"),
    ("completion", "shell"),
    ("mcp install", "client"),
    ("mcp install", "only_print"),
    ("token add", "name"),
    ("token add", "write"),
    ("token remove", "name"),
}
"""What never reaches an operation, because the command does not ask the service."""


def leaves(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name."""
    root: Any = group or typer.main.get_command(app)
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


@pytest.fixture
def service(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "data") as stand_in:
        yield stand_in


def environment(service: StandIn) -> dict[str, str]:
    return {"GARAGE_DATA": str(service.data), "HOME": str(service.data)}


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize("given", CASES, ids=lambda each: f"{each.command}-{each.parameter}")
def test_an_option_arrives_in_the_operation(given: Case, service: StandIn) -> None:
    code = run(given.arguments, environment(service))
    assert code == 0
    assert [each[given.variable] for each in service.of(given.operation)] == [given.value]


@pytest.mark.req("CLI-1")
def test_no_option_is_left_out_of_the_table() -> None:
    covered = {(each.command, each.parameter) for each in CASES} | HERE_ONLY
    there = {
        (name, parameter.name)
        for name, command in leaves()
        for parameter in command.params
        if parameter.name not in {"as_json", "help"}
    }
    assert covered == there


@pytest.mark.req("CLI-1")
def test_every_command_takes_json() -> None:
    without = [
        name
        for name, command in leaves()
        if not any("--json" in parameter.opts for parameter in command.params)
    ]
    assert without == []


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    "command",
    [
        *("sources", "documents", "files", "stats", "log", "search q", "read d", "add-source s /r"),
        *("remove-source s --yes", "ingest s", "status", "open --print", "add-source --presets"),
        *("memory add x", "memory list", "memory show i", "memory edit i --title T"),
        *("memory recall q", "memory confirm i", "memory history i", "memory undo i"),
        *("memory forget i --yes", "memory rm i --dry-run", "memory core show"),
        *("memory core edit user x", "store README.md"),
        *("facts d", "work", "jobs", "jobs list", "jobs retry", "jobs drop --yes"),
    ],
)
def test_json_is_the_only_thing_on_standard_output(
    command: str, service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    assert run([*command.split(" "), "--json"], environment(service)) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.req("CLI-1")
def test_a_dash_reads_the_query_from_standard_input(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe"))
    assert run(["search", "-"], environment(service)) == 0
    assert service.of("Search")[0]["query"] == "from a pipe"


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    ("command", "arrives"),
    [
        ("memory add", "Remember.text"),
        ("memory add -", "Remember.text"),
        ("memory edit i --text -", "UpdateMemory.text"),
        ("memory recall -", "Recall.query"),
        ("memory core edit user", "EditCoreMemory.text"),
        ("store", "Store.text"),
        ("store -", "Store.text"),
        ("store FILE", "Store.text"),
        ("memory edit i --text-file FILE", "UpdateMemory.text"),
        ("memory core edit user --text-file FILE", "EditCoreMemory.text"),
    ],
)
def test_a_text_comes_from_a_pipe_or_a_file(
    command: str, arrives: str, service: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = "From afar.\n\ttabbed – and so on\n"
    file = tmp_path / "said.txt"
    file.write_bytes(said.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
    words = command.replace("FILE", str(file)).split(" ")
    assert run(words, environment(service)) == 0
    operation, variable = arrives.split(".")
    assert [each[variable] for each in service.of(operation)] == [said]


@pytest.mark.req("STO-1", part=True)
def test_a_stored_text_keeps_its_bytes_from_a_pipe_too(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "one\r\ntwo\rthree\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
    assert run(["store"], environment(service)) == 0
    assert service.of("Store")[0]["text"] == said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("memory add", "There is no text.\nType it, as in: garage memory add"),
        ("memory core edit user", "There is no text.\nType it, as in: garage memory core edit"),
        ("store", "There is no text.\nType it, name a file"),
        ("store /no/such/file", "/no/such/file cannot be read: No such file"),
        ("memory edit i --text a --text-file b", "--text and --text-file say two things."),
        ("memory edit i --tag a --clear-tags", "--tag and its --clear option say two things."),
        ("memory core edit user a --clear", "say different things."),
        ("memory add a --expires soon", "--expires is 'soon'."),
        ("work --budget soon", "--budget is 'soon'."),
        ("jobs retry a --kind link", "UID and --kind say two things."),
        ("add-source", "Missing argument 'SLUG'."),
        ("add-source notes", "Missing argument 'ROOT'."),
    ],
)
def test_what_was_not_said_is_asked_for_and_nothing_is_written(
    command: str,
    said: str,
    service: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(command.split(" "), environment(service)) == 2
    assert said in capsys.readouterr().err
    assert service.asked == []


@pytest.mark.req("CLI-1")
def test_presets_of_memory_files_are_listed_with_what_to_type(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"slug": "claude", "root": "/home/ada/.claude", "patterns": ["x/*.md"], "about": "Rules"}
    items = [
        {**row, "there": True, "added": False},
        {**row, "slug": "old", "there": True, "added": True},
        {**row, "slug": "away", "there": False, "added": False},
    ]
    service.answers["SourcePresets"] = {"sourcePresets": {"items": items}}
    assert run(["add-source", "--presets"], environment(service)) == 0
    told = capsys.readouterr()
    assert [line.split()[0] for line in told.out.splitlines()] == ["name", "claude", "old", "away"]
    wanted = "add-source claude '/home/ada/.claude' --kind memory --pattern 'x/*.md'"
    assert [line for line in told.err.splitlines() if "Next:" in line] == [f"Next: garage {wanted}"]


@pytest.mark.req("CLI-1")
def test_a_store_is_added_by_its_address(service: StandIn) -> None:
    assert run(["add-source", "notes", "memory://", "--kind", "memory"], environment(service)) == 0
    assert service.of("AddSource")[0]["root"] == "memory://"


@pytest.mark.req("CLI-1")
def test_a_memory_that_is_not_there_ends_with_3(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers["Memory"] = {"memory": None}
    assert run(["memory", "show", "none"], environment(service)) == 3
    assert "There is no memory 'none'." in capsys.readouterr().err


@pytest.mark.req("CLI-1")
def test_forgetting_asks_with_what_would_go_and_a_no_forgets_nothing(
    service: StandIn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert run(["memory", "forget", "i"], environment(service)) == 130
    assert [each["dryRun"] for each in service.of("ForgetMemories")] == [True]
    assert "Forget “title”, with 1 name? This cannot be undone." in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run(["memory", "forget", "i"], environment(service)) == 0
    assert [each["dryRun"] for each in service.of("ForgetMemories")] == [True, True, False]


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize("words", ["memory forget i", "remove-source s", "jobs drop"])
def test_where_nobody_answers_nothing_goes_and_the_option_is_named(
    service: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run(words.split(), environment(service)) == 130
    told = capsys.readouterr().err
    assert "Nothing was " in told
    assert "--yes" in told
    assert service.of("RemoveSource") == service.of("DropJobs") == []
    assert all(each["dryRun"] for each in service.of("ForgetMemories"))


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["search", " "], "The query is empty"),
        (["search", "pump"], "Nothing is stored yet. Next: garage add-source"),
    ],
)
def test_a_search_that_finds_nothing_says_why_where_that_is_to_be_seen(
    service: StandIn, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    service.answers["Search"] = {"search": FOUND_NOTHING}
    service.answers["Sources"] = {"sources": {"items": []}}
    assert run(words, environment(service)) == 0
    assert told in capsys.readouterr().err


@pytest.mark.req("CLI-1")
def test_a_search_that_finds_nothing_names_the_filters(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers["Search"] = {"search": FOUND_NOTHING}
    assert run(["search", "pump", "--author", "ada", "--class", "code"], environment(service)) == 0
    assert "--class, --author" in capsys.readouterr().err


FOUND_NOTHING = {
    "__typename": "SearchResult", "query": "", "hits": [], "lowConfidence": False,
    "degraded": [], "truncated": False,
}  # fmt: skip


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize("words", ["log --verb nosuch", "files --state failed", "documents"])
def test_a_list_without_rows_says_so_and_prints_no_header(
    service: StandIn, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    service.answers |= {"Log": {"log": {"items": []}}, "Files": {"files": {"items": []}}}
    page = {"edges": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}
    service.answers["Documents"] = {"documents": page}
    assert run(words.split(), environment(service)) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.strip().endswith(".")


@pytest.mark.req("CLI-1")
def test_a_config_file_that_is_named_says_where_the_data_are(
    service: StandIn, tmp_path: Path
) -> None:
    import json

    config = tmp_path / "mine.json"
    config.write_text(json.dumps({"data": {"folder": str(service.data)}}), encoding="utf-8")
    assert run(["--config", str(config), "stats"], {"HOME": str(tmp_path / "home")}) == 0
    assert len(service.of("Stats")) == 1
