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
    case("log", "limit", "log --limit 7", "Log.limit", 7),
    case("log", "verb", "log --verb ingest", "Log.verb", "ingest"),
    case("log", "actor", "log --actor cli", "Log.actor", "cli"),
    case("log", "before", "log --before u", "Log.before", "u"),
)

HERE_ONLY = {
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
        *("remove-source s --yes", "ingest s", "status", "open --print"),
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
def test_a_config_file_that_is_named_says_where_the_data_are(
    service: StandIn, tmp_path: Path
) -> None:
    import json

    config = tmp_path / "mine.json"
    config.write_text(json.dumps({"data": {"folder": str(service.data)}}), encoding="utf-8")
    assert run(["--config", str(config), "stats"], {"HOME": str(tmp_path / "home")}) == 0
    assert len(service.of("Stats")) == 1
