"""How the command line fails: exit codes, hints, and errors as JSON when asked."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import parse, validate

from api.cli import stored
from api.cli.app import run
from api.cli.failures import EXIT_CODES
from tests.stand_in import StandIn, schema, standing_in

HEAVY = ("pydantic", "rich", "strawberry", "mcp", "neo4j", "starlette", "numpy", "psutil", "ssl")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "data") as stand_in:
        yield stand_in


def environment(service: StandIn) -> dict[str, str]:
    return {"GARAGE_DATA": str(service.data)}


@pytest.mark.req("CLI-1")
def test_the_help_lists_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"], {}) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for code, word in ((0, "ok"), (1, "failure"), (2, "usage"), (3, "not found"), (130, "inter")):
        assert f"{code} {word}" in printed
    for code in EXIT_CODES.values():
        assert f" {code} " in printed


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(
    ("typed", "meant"),
    [("serach q", "search"), ("sarch q", "search"), ("search q --limt 3", "--limit")],
)
def test_a_slip_of_the_keyboard_is_answered_with_the_nearest_name(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(typed.split(" "), {}) == 2
    assert meant in capsys.readouterr().err


@pytest.mark.req("CLI-1")
@pytest.mark.parametrize(("code", "status"), sorted(EXIT_CODES.items()))
def test_a_problem_of_the_service_ends_with_its_exit_code(
    code: str, status: int, service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = {"code": code, "message": "It was not done.", "hint": "Do it so."}
    service.answers["Stats"] = {"stats": problem}
    assert run(["stats"], environment(service)) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "It was not done." in printed.err
    assert "Do it so." in printed.err
    assert run(["stats", "--json"], environment(service)) == status
    assert json.loads(capsys.readouterr().out) == {"error": problem}


@pytest.mark.req("CLI-1")
def test_a_usage_error_is_json_too_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "--json"], {}) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "INVALID_INPUT"


@pytest.mark.req("CLI-1")
def test_a_service_that_is_gone_in_the_middle_ends_with_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with standing_in(tmp_path / "data") as service:
        service.answers["Sources"] = {"sources": {"items": []}}
        tokens = service.data / "service.token"
        tokens.unlink()
        assert run(["sources"], environment(service)) == 4
    assert "garage stop" in capsys.readouterr().err


@pytest.mark.req("CLI-1")
def test_an_unforeseen_error_is_told_by_an_id_and_never_by_its_text(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers["Stats"] = {"stats": {"secret text": 1}}
    assert run(["stats"], environment(service)) == 1
    told = capsys.readouterr().err
    assert "secret text" not in told
    log = (service.data / "logs" / "cli.log").read_text(encoding="utf-8")
    assert json.loads(log.splitlines()[0])["id"] in told


@pytest.mark.req("CLI-1")
def test_what_needs_no_service_starts_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = {"GARAGE_DATA": str(tmp_path / "none"), "HOME": str(tmp_path)}
    for command in ("--version", "status", "stop", "config path", "config show", "token list"):
        assert run(command.split(" "), folder) == 0
    assert not (tmp_path / "none" / "service.json").exists()
    assert not (tmp_path / "none" / "logs").exists()
    assert "False" in capsys.readouterr().out


@pytest.mark.req("CLI-1")
def test_a_setting_and_its_origin_are_shown_and_a_wrong_name_gets_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = {"HOME": str(tmp_path), "GARAGE_SEARCH__LIMIT": "7"}
    assert run(["config", "get", "search.limit", "--origin", "--json"], folder) == 0
    assert json.loads(capsys.readouterr().out) == {
        "name": "search.limit",
        "value": 7,
        "origin": "GARAGE_SEARCH__LIMIT",
    }
    assert run(["config", "get", "search.limt"], folder) == 3
    assert "search.limit" in capsys.readouterr().err


@pytest.mark.req("CLI-1")
def test_a_token_is_shown_once_and_listed_without_its_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = {"GARAGE_DATA": str(tmp_path)}
    assert run(["token", "add", "editor", "--write", "--json"], folder) == 0
    secret = json.loads(capsys.readouterr().out)["token"]
    assert run(["token", "list"], folder) == 0
    listed = capsys.readouterr().out
    assert "editor" in listed
    assert secret not in listed
    assert run(["token", "remove", "editor"], folder) == 0
    assert run(["token", "remove", "editor"], folder) == 3


@pytest.mark.req("GQL-1")
@pytest.mark.parametrize("name", stored.names())
def test_a_stored_operation_fits_the_committed_schema(name: str) -> None:
    assert validate(schema(), parse(stored.operation(name))) == []


@pytest.mark.req("CLI-1")
def test_help_loads_nothing_heavy() -> None:
    script = "import sys; from api.cli.app import run; run(['--help'], {}); "
    script += f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stderr.strip() == "[]"


@pytest.mark.req("CLI-1")
def test_a_ctrl_c_while_the_command_line_is_still_being_loaded_ends_it_without_a_word(
    tmp_path: Path,
) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "api.cli", "sources"],
        env={"PYTHONPATH": str(tmp_path), "GARAGE_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
