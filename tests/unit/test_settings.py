"""Settings: one file, overridden by the environment; what nobody declares is refused by name."""

from dataclasses import fields
from pathlib import Path

import pytest
from make_settings_page import TARGET, documented, page

from api.settings import flat, load, sections
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
        ('{"search": {"limit": "many"}}', ["search.limit"]),
        ('{"search": {"limit": 1, "limit": 2}}', ["limit", "twice"]),
        ('{"search": {"rrf_k": NaN}}', ["NaN"]),
        ("[]", ["object"]),
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
def test_lists_and_tables_in_the_environment_are_json(file: Path) -> None:
    file.write_text("{}")
    found = loaded(file, GARAGE_EMBEDDING__MODELS='["a", "b"]')
    assert found.settings.embedding.models == ("a", "b")


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
    assert set(flat(load(None, {}).settings)) >= {"search.limit", "sources"}
