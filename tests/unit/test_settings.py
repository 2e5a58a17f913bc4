"""Settings: one file, overridden by the environment; what nobody declares is refused by name."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_settings_page import SCHEMA, TARGET, page, schema_text

from api import settings, settings_file
from api.settings import flat, load, sections
from api.settings_schema import documented, schema
from extraction.embedding_settings import MODELS
from extraction.providers.builtin import BUILTIN_MODELS
from graphstore.errors import InvalidInput


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "garage.json"


def loaded(file: Path, **environment: str):
    return load(str(file), environment)


@pytest.mark.req("RUN-5")
def test_the_environment_wins_over_the_file_and_the_file_over_the_default(file: Path) -> None:
    file.write_text('{"search": {"limit": 20, "rrf_k": 30}}')
    found = loaded(file, GARAGE_SEARCH__LIMIT="5")
    assert found.settings.search.limit == 5
    assert found.settings.search.rrf_k == 30
    assert found.settings.search.lane_k == 100
    assert found.origins == {"search.limit": "GARAGE_SEARCH__LIMIT", "search.rrf_k": str(file)}


@pytest.mark.req("RUN-5")
@pytest.mark.parametrize(
    ("content", "names"),
    [
        ('{"serch": {}}', ["serch", "search"]),
        ('{"search": {"limt": 3}}', ["search.limt", "search.limit"]),
        ('{"search": {"limit": "many"}}', ["search.limit", "1 to 100"]),
        ('{"search": {"limit": 1, "limit": 2}}', ["limit", "twice"]),
        ('{"search": {"rrf_k": NaN}}', ["NaN"]),
        ("[]", ["table of settings"]),
        ("", ["empty"]),
        (" \n", ["empty"]),
        ("[" * 100_000, ["too deep"]),
        ('{"search": {\n"limit": 1,\n"limit": 2}}', [":3", "twice", "line 2"]),
        ('{\n"search": {\n"limit": }}', [":3"]),
        ('{"sources": [{"slug": "a"}]}', ["sources.0.root"]),
        ('{"search": 3}', ["search"]),
    ],
)
def test_a_broken_file_is_refused_with_the_place_and_the_nearest_name(
    file: Path, content: str, names: list[str]
) -> None:
    file.write_text(content)
    with pytest.raises(InvalidInput) as caught:
        loaded(file)
    assert all(name in str(caught.value) for name in names)


@pytest.mark.req("RUN-5")
@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("GARAGE_SERCH__LIMIT", "GARAGE_SEARCH__LIMIT"),
        ("GARAGE_SEARCH__LIMT", "GARAGE_SEARCH__LIMIT"),
        ("GARAGE_CONFG", "GARAGE_CONFIG"),
    ],
)
def test_a_typo_in_the_environment_is_refused_with_the_nearest_name(
    file: Path, name: str, nearest: str
) -> None:
    file.write_text("{}")
    with pytest.raises(InvalidInput) as caught:
        loaded(file, **{name: "3"})
    assert name in caught.value.message
    assert nearest in caught.value.hint


@pytest.mark.req("RUN-5")
def test_a_file_that_is_named_must_be_there_and_one_that_is_not_may_be_missing(
    file: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="no settings file"):
        loaded(file)
    assert load(None, {"HOME": str(tmp_path)}).settings.search.limit == 10


@pytest.mark.req("RUN-5")
def test_a_byte_order_mark_and_a_schema_key_are_allowed(file: Path) -> None:
    file.write_text('\ufeff{"$schema": "garage.schema.json", "mcp": {"writes": "never"}}')
    assert loaded(file).settings.mcp.writes == "never"


@pytest.mark.req("RUN-5")
def test_a_secret_is_never_shown(file: Path) -> None:
    file.write_text("{}")
    shown = loaded(file, NEO4J_URI="bolt://127.0.0.1:7687", NEO4J_PASSWORD="geheim").shown()  # noqa: S106 - a test's
    assert shown["neo4j.uri"] == "bolt://127.0.0.1:7687"
    assert "geheim" not in repr(shown)


@pytest.mark.req("RUN-5")
def test_lists_and_tables_in_the_environment_are_json_and_text_is_text(file: Path) -> None:
    file.write_text("{}")
    found = loaded(
        file,
        GARAGE_READING__SELF_NAMES='["Ada", "A. Example"]',
        GARAGE_SEARCH__WEIGHTS='{"vector": {"code": 2}}',
        GARAGE_SEARCH__LOG_ENABLED="off",
        GARAGE_NEO4J__USERNAME="[ada",
    ).settings
    assert found.reading.self_names == ("Ada", "A. Example")
    assert found.search.weights == {"vector": {"code": 2.0}}
    assert not found.search.log_enabled
    assert found.neo4j.username == "[ada"


@pytest.mark.req("RUN-5")
def test_every_setting_is_documented_and_the_page_is_as_generated() -> None:
    silent = [
        f"{section}.{part.name}"
        for section, cls in sections().items()
        for part in fields(cls)
        if not documented(cls)[part.name]
    ]
    assert silent == []
    assert TARGET.read_text(encoding="utf-8") == page()
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()
    assert set(flat(load(None, {}).settings)) >= {"search.limit", "sources"}


WRONG: dict[str, tuple[str, Any, str, str]] = {
    "a negative limit": ("search", {"limit": -4}, "search.limit is -4", "1 to 100"),
    "a port": ("service", {"port": 99_999}, "service.port is 99999", "0 to 65,535"),
    "a share": ("ingest", {"vanished_share": 1.5}, "ingest.vanished_share is 1.5", "0 to 1"),
    "days": ("search", {"log_retention_days": -1}, "search.log_retention_days is -1", "0 to"),
    "text for a number": ("search", {"limit": "5"}, 'search.limit is "5"', "whole number"),
    "a number for a claim": ("search", {"log_enabled": 1}, "log_enabled is 1", "true or false"),
    "a claim for a number": ("search", {"limit": True}, "search.limit is true", "whole number"),
    "too large for a float": ("maintenance", {"retry_s": 1e999}, "retry_s is Infinity", "0.1 to"),
    "a lane": ("search", {"weights": {"vectr": {}}}, "no 'vectr'", "vector"),
    "a class": ("search", {"weights": {"vector": {"cod": 1}}}, "no 'cod'", "code"),
    "a weight": ("search", {"weights": {"vector": {"code": -1}}}, "vector.code is -1", "0 to"),
    "a model": ("embedding", {"models": ["bge-small"]}, '"bge-small"', "bge-small-en-v1.5"),
    "no model": ("embedding", {"models": []}, "embedding.models is []", "at least 1"),
    "a choice": ("mcp", {"writes": "allways"}, '"allways"', "'always'"),
    "an address": ("neo4j", {"uri": "http://localhost"}, "neo4j.uri", "bolt://HOST:PORT"),
    "a slug": ("sources", [{"slug": "A b", "root": "~"}], "sources.0.slug", "hyphens"),
    "a kind": ("sources", [{"slug": "a", "root": "~", "kind": "gti"}], '"gti"', "'git'"),
    "a source's key": ("sources", [{"slug": "a", "root": "~", "rot": 1}], "sources.0.rot", "root"),
    "no list": ("sources", {}, "sources is {}", "a list"),
}


@pytest.mark.req("RUN-5")
@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_cannot_be_is_refused_with_what_may_be_and_its_line(
    file: Path, name: str
) -> None:
    section, content, said, may_be = WRONG[name]
    file.write_text("{\n\n" + json.dumps({section: content})[1:].replace("Infinity", "1e999"))
    with pytest.raises(InvalidInput) as caught:
        loaded(file)
    assert f"{file}:3: " in caught.value.message
    assert said in caught.value.message
    assert may_be in str(caught.value)
    assert not jsonschema.Draft202012Validator(schema()).is_valid({section: content})


@pytest.mark.req("RUN-5")
def test_a_value_of_the_environment_is_refused_by_the_name_of_its_variable(file: Path) -> None:
    file.write_text("{}")
    with pytest.raises(InvalidInput) as caught:
        loaded(file, GARAGE_SEARCH__LIMIT="-4")
    assert caught.value.message.startswith('GARAGE_SEARCH__LIMIT: search.limit is "-4"')
    assert "1 to 100" in caught.value.message
    assert "unset GARAGE_SEARCH__LIMIT" in caught.value.hint


@pytest.mark.req("RUN-5")
def test_no_refusal_shows_a_secret(file: Path) -> None:
    file.write_text('{"neo4j": {"password": 123456}}')
    for environment in ({}, {"NEO4J_URI": "bolt://ada:123456@localhost:7687"}):
        with pytest.raises(InvalidInput) as caught:
            loaded(file, **environment)
        assert "123456" not in str(caught.value)
        file.write_text("{}")


@pytest.mark.req("RUN-5")
def test_all_problems_are_found_at_once(file: Path) -> None:
    file.write_text('{"serch": {},\n"search": {"limt": 1, "rrf_k": 0},\n"mcp": 3}')
    content = settings_file.read(file, is_named=True)
    found = settings.problems(content, {"GARAGE_SEARCH__LIMT": "1"})
    assert {(each.place.rpartition(":")[2], each.pointer, each.nearest) for each in found} == {
        ("1", "/serch", "search"),
        ("2", "/search/limt", "search.limit"),
        ("2", "/search/rrf_k", ""),
        ("3", "/mcp", ""),
        ("GARAGE_SEARCH__LIMT", "", "GARAGE_SEARCH__LIMIT"),
    }


@pytest.mark.req("RUN-5")
def test_the_schema_is_one_and_takes_the_defaults(file: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    defaults: dict[str, Any] = {}
    for key, value in flat(load(None, {}).settings).items():
        section, _, name = key.partition(".")
        if name:
            defaults.setdefault(section, {})[name] = value
    content = json.loads(json.dumps({"$schema": "x", **defaults, "sources": []}))
    validator.validate(content)
    file.write_text(json.dumps(content))
    assert flat(loaded(file).settings) == flat(load(None, {}).settings)
    assert not validator.is_valid({"search": {"limt": 1}})
    assert not validator.is_valid({"serch": {}})


def test_the_models_of_the_settings_are_those_that_there_are() -> None:
    assert tuple(model.name for model in BUILTIN_MODELS) == MODELS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def values_in(value: Any, pointer: str = "") -> dict[str, Any]:
    """Return every value by its JSON pointer."""
    found = {pointer: value}
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= values_in(inner, settings_file.below(pointer, key))
    if isinstance(value, list):
        for number, inner in enumerate(value):
            found |= values_in(inner, f"{pointer}/{number}")
    return found


@pytest.mark.req("RUN-5")
@given(content=st.dictionaries(st.text(max_size=4), JSON), indent=st.sampled_from([None, 0, 2]))
def test_every_value_of_a_file_is_located(content: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    found = settings_file.parse(Path("f"), text)
    lines = text.split("\n")
    assert found.values == content
    assert found.lines.keys() == values_in(content).keys()
    for pointer, value in values_in(content).items():
        start = json.dumps(value, ensure_ascii=False)[0]
        assert start in lines[found.lines[pointer] - 1]
