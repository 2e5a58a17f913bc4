"""`garage config`: the file is changed key by key, looked over at once, and never half written."""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from api import settings, settings_fingerprint
from api.cli.app import run
from tests.stand_in import StandIn, standing_in


@dataclass(frozen=True)
class Desk:
    """A person with a settings file."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def file(self) -> Path:
        return self.folder / "garage.json"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "GARAGE_CONFIG": str(self.file),
            "GARAGE_DATA": str(self.folder / "data"),
        }

    def write(self, content: Any) -> None:
        self.file.write_text(content if isinstance(content, str) else json.dumps(content))

    def type(self, *words: str, more: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        self.capsys.readouterr()
        code = run(words, {**self.environment, **(more or {})})
        told = self.capsys.readouterr()
        return code, told.out, told.err


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    made = Desk(tmp_path, capsys)
    made.write("{}")
    return made


@pytest.mark.req("RUN-5")
def test_set_changes_one_key_and_keeps_the_rest_as_it_was(desk: Desk) -> None:
    before: dict[str, Any] = {
        "$schema": "./garage.schema.json",
        "mcp": {"writes": "never"},
        "search": {"rrf_k": 30, "limit": 5, "lane_k": 50},
    }
    desk.write(before)
    desk.file.chmod(0o640)
    code, out, _ = desk.type("config", "set", "search.limit", "20")
    assert (code, "5 → 20" in out) == (0, True)
    before["search"]["limit"] = 20
    assert list(json.loads(desk.file.read_text()).items()) == list(before.items())
    assert stat.S_IMODE(desk.file.stat().st_mode) == 0o640
    assert [path.name for path in desk.folder.iterdir()] == ["garage.json"]


@pytest.mark.req("RUN-5")
def test_a_new_file_is_private_and_a_link_stays_a_link(desk: Desk) -> None:
    desk.file.unlink()
    real = desk.folder / "dotfiles"
    desk.file.symlink_to(real)
    assert desk.type("config", "set", "search.limit", "20")[0] == 0
    assert desk.file.is_symlink()
    assert json.loads(real.read_text()) == {"search": {"limit": 20}}
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


@pytest.mark.req("RUN-5")
def test_unset_takes_a_key_out_and_an_empty_section_with_it(desk: Desk) -> None:
    desk.write({"search": {"limit": 5}, "mcp": {"writes": "never"}})
    code, out, _ = desk.type("config", "unset", "search.limit", "--json")
    assert (code, json.loads(out)["before"], json.loads(out)["after"]) == (0, 5, None)
    assert json.loads(desk.file.read_text()) == {"mcp": {"writes": "never"}}


@pytest.mark.req("RUN-5")
@pytest.mark.parametrize(
    ("key", "typed", "kept"),
    [
        ("search.limit", "20", 20),
        ("search.log_enabled", "false", False),
        ("search.log_enabled", "off", False),
        ("neo4j.username", "ada", "ada"),
        ("neo4j.username", '"ada"', "ada"),
        ("neo4j.username", "123", "123"),
        ("maintenance.retry_s", "1.5", 1.5),
        ("embedding.models", '["all-MiniLM-L6-v2"]', ["all-MiniLM-L6-v2"]),
        ("search.weights", '{"vector": {"code": 2}}', {"vector": {"code": 2.0}}),
    ],
)
def test_json_and_plain_text_are_both_understood(
    desk: Desk, key: str, typed: str, kept: object
) -> None:
    assert desk.type("config", "set", key, typed)[0] == 0
    section, _, name = key.partition(".")
    assert json.loads(desk.file.read_text()) == {section: {name: kept}}


@pytest.mark.req("RUN-5")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("search.limt", "3"), 3, "search.limit"),
        (("search", "3"), 3, "There is no setting"),
        (("search.limit", "many"), 2, "1 to 100"),
        (("search.limit", "101"), 2, "1 to 100"),
        (("mcp.writes", "allways"), 2, "always"),
        (("embedding.models", "bge-small-en-v1.5"), 2, "JSON"),
        (("sources", '[{"slug": "a"}]'), 2, "sources.0.root is missing"),
        (("sources", '[{"slug": "a", "root": "~", "rot": 1}]'), 2, "sources.0.root"),
        (("neo4j.password", "hunter2"), 5, "neo4j.password_file"),
        (("neo4j.uri", "bolt://ada:hunter2@localhost"), 5, "neo4j.password_file"),
    ],
)
def test_what_may_not_be_is_refused_and_the_file_stays(
    desk: Desk, words: tuple[str, str], code: int, said: str
) -> None:
    desk.write('{"search":   {"limit": 5}}')
    found, _, told = desk.type("config", "set", *words)
    assert found == code
    assert said in told
    assert "hunter2" not in told
    assert desk.file.read_text() == '{"search":   {"limit": 5}}'


@pytest.mark.req("RUN-5")
def test_a_broken_file_is_not_edited_but_an_unfit_value_elsewhere_does_not_hinder(
    desk: Desk,
) -> None:
    desk.write('{"search": {"limit": 5,}}')
    code, _, told = desk.type("config", "set", "search.limit", "3")
    assert (code, f"{desk.file}:1" in told) == (2, True)
    desk.write('{"search": {"limit": 5000, "rrf_k": 0}}')
    assert desk.type("config", "set", "search.limit", "3")[0] == 0
    assert json.loads(desk.file.read_text())["search"] == {"limit": 3, "rrf_k": 0}


@pytest.mark.req("RUN-5")
def test_a_value_that_the_environment_hides_is_told(desk: Desk) -> None:
    _, _, told = desk.type("config", "set", "search.limit", "3", more={"GARAGE_SEARCH__LIMIT": "7"})
    assert "GARAGE_SEARCH__LIMIT in the environment wins" in told


@pytest.mark.req("RUN-5")
def test_check_shows_every_problem_and_ends_with_2(desk: Desk) -> None:
    assert desk.type("config", "check")[0] == 0
    desk.write('{"serch": {},\n"search": {"limit": -4}}')
    code, out, _ = desk.type("config", "check", "--json", more={"GARAGE_SERCH__LIMIT": "3"})
    found = json.loads(out)
    assert (code, found["ok"]) == (2, False)
    assert [each["place"] for each in found["problems"]] == [
        f"{desk.file}:1",
        "GARAGE_SERCH__LIMIT",
        f"{desk.file}:2",
    ]
    assert all(each["next"] for each in found["problems"])
    other = desk.folder / "other.json"
    other.write_text("{}")
    assert desk.type("config", "check", str(other), more={"GARAGE_SERCH__LIMIT": "3"})[0] == 0
    assert desk.type("config", "check", str(desk.folder / "none.json"))[0] == 2


@pytest.mark.req("RUN-5")
@pytest.mark.campaign("C72")
@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_check_finds_a_secret_that_others_may_read(desk: Desk) -> None:
    secret = desk.folder / "password"
    secret.write_text("hunter2")
    secret.chmod(0o644)
    desk.write({"neo4j": {"password": "hunter2", "password_file": str(secret)}})
    desk.file.chmod(0o644)
    code, out, told = desk.type("config", "check")
    assert code == 2
    assert f"chmod 600 {secret}" in out
    assert f"chmod 600 {desk.file}" in out
    assert "hunter2" not in out + told
    secret.chmod(0o600)
    desk.file.chmod(0o600)
    assert desk.type("config", "check")[0] == 0


@pytest.mark.req("RUN-5")
def test_the_schema_is_printed_as_json(desk: Desk) -> None:
    code, out, _ = desk.type("config", "schema")
    jsonschema.Draft202012Validator.check_schema(json.loads(out))
    assert code == 0


def run_with(stand_in: StandIn, desk: Desk) -> None:
    """Let the stand-in be a service that was started with the desk's settings as they are."""
    loaded = settings.load(None, desk.environment)
    path = stand_in.data / "service.json"
    record = json.loads(path.read_text())
    record["settings_source"] = loaded.source
    record["settings"] = settings_fingerprint.digests(settings.flat(loaded.settings))
    path.write_text(json.dumps(record))


@pytest.mark.req("RUN-5")
def test_a_command_tells_once_that_the_service_runs_with_other_settings(desk: Desk) -> None:
    with standing_in(desk.folder / "data") as service:
        run_with(service, desk)
        assert desk.type("stats")[2] == ""
        desk.write('{"search": {"limit": 10}}')
        assert desk.type("stats")[2] == "", "another text, the same settings"
        _, _, told = desk.type("config", "set", "search.limit", "20")
        assert "search.limit" in told
        assert "garage stop" in told
        code, _, told = desk.type("sources")
        assert (code, told.count("other settings"), "(search.limit)" in told) == (0, 1, True)
        assert "garage stop" in told
        _, out, _ = desk.type("status", "--json")
        assert "search.limit" in json.loads(out)["settings"]
        _, _, told = desk.type("config", "unset", "search.limit")
        assert told == ""
        assert desk.type("stats")[2] == ""


@pytest.mark.req("RUN-5")
def test_a_variable_counts_as_another_setting_and_a_secret_is_in_no_fingerprint(
    desk: Desk,
) -> None:
    with standing_in(desk.folder / "data") as service:
        run_with(service, desk)
        _, _, told = desk.type("stats", more={"GARAGE_MCP__WRITES": "never"})
        assert "(mcp.writes)" in told
        desk.write('{"search": {"limit": -4}}')
        _, _, told = desk.type("stats")
        assert "settings of its start" in told
        assert "search.limit is -4" in told
    prints = {
        settings_fingerprint.source(desk.file, {"NEO4J_PASSWORD": secret})
        for secret in ("one", "two")
    }
    assert len(prints) == 1
    assert settings_fingerprint.digests({"neo4j.password": "one"}) == (
        settings_fingerprint.digests({"neo4j.password": "two"})
    )
