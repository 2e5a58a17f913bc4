"""Queries: every statement is a file that says what it is for, and nothing else becomes Cypher."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphstore import queries

ROOT = Path(__file__).parents[2]
PROBE = Path("graphstore/server/probe.py")
"""It asks a server what it is before any of our statements may run there."""
ROOMS = ("graphstore", "extraction", "communities", "api")
FILES = sorted((queries.ROOT / "queries").rglob("*.cypher"))
NAMES = [file.relative_to(queries.ROOT / "queries").with_suffix("").as_posix() for file in FILES]
SCHEMA = sorted((queries.ROOT / "schema").rglob("*.cypher"))
PARAMETER = re.compile(r"(?<!\$)\$([a-z_]+)")
PLACEHOLDER = re.compile(r"\$\$([a-z]+)")
STATEMENT = re.compile(
    r"\b(MATCH|MERGE|CREATE|UNWIND|FOREACH)\b\s*[({$]|\bDETACH DELETE\b|\bCYPHER 25\b \w"
    r"|\bCALL\s+(db|dbms)\.|\bRETURN \w+(\.\w+)? AS\b"
)


def parts(name: str) -> tuple[list[str], str]:
    """Return the lines of the header and the statement."""
    text = (queries.ROOT / "queries" / f"{name}.cypher").read_text(encoding="utf-8")
    header, mark, body = text.partition("CYPHER 25\n")
    assert mark, f"{name} does not say CYPHER 25 on a line of its own"
    return header.splitlines(), body


@pytest.mark.req("RUN-3")
@pytest.mark.parametrize("name", NAMES)
def test_a_query_says_its_purpose_what_it_takes_and_what_it_returns(name: str) -> None:
    header, body = parts(name)
    assert all(line.startswith("//") for line in header)
    starts = [line[3:].split(":")[0] for line in header if not line.startswith("//  ")]
    assert starts == ["purpose", "params", "returns"]
    assert all(line.split(":", 1)[1].strip() for line in header if not line.startswith("//  "))
    assert body.strip()
    assert ";" not in body


@pytest.mark.req("RUN-3")
@pytest.mark.parametrize("name", NAMES)
def test_a_query_uses_the_parameters_that_it_names_and_no_other(name: str) -> None:
    header, body = parts(name)
    text = "\n".join(header)
    stated = text[text.index("// params:") : text.index("// returns:")]
    assert set(PARAMETER.findall(body)) == set(PARAMETER.findall(stated))
    assert set(PLACEHOLDER.findall(body)) == set(PLACEHOLDER.findall(stated))


@pytest.mark.req("RUN-3")
def test_placeholders_come_from_the_closed_tables_alone() -> None:
    used = {name for file in FILES + SCHEMA for name in PLACEHOLDER.findall(file.read_text())}
    assert used <= {"index", "label", "property", "type", "types"}
    for name in used:
        with pytest.raises(ValueError, match="closed tables"):
            queries.get(NAMES[0], **{name: "anything at all"})


@pytest.mark.req("RUN-3")
@pytest.mark.parametrize(
    ("placeholder", "value"),
    [
        ("index", "vec_minilm_chunk\n"),
        ("index", "vec_minilm_chunk) RETURN 1 //"),
        ("index", "vec_Minilm_chunk"),
        ("index", "vec_minilm_secret"),
        ("index", ""),
        ("property", "vec_bge\n"),
        ("property", "text"),
        ("property", "vec_bge, c.text"),
        ("label", "Chunk\n"),
        ("label", "Chunk:Document"),
        ("type", "AUTHORED_BY\n"),
        ("type", "authored_by"),
        ("type", "A" * 41),
        ("type", "A|B"),
        ("unknown", "Chunk"),
    ],
)
def test_what_is_not_in_a_closed_table_never_becomes_cypher(placeholder: str, value: str) -> None:
    with pytest.raises(ValueError, match="closed tables"):
        queries.get("chunks/by_vector", **{"index": "vec_bge_chunk", placeholder: value})
    with pytest.raises(ValueError, match="closed tables"):
        queries.statements("templates/predicate", **{"type": "OK", placeholder: value})


@pytest.mark.req("RUN-3")
def test_a_missing_substitution_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\$\$index"):
        queries.get("chunks/by_vector")
    with pytest.raises(ValueError, match=r"\$\$type"):
        queries.statements("templates/predicate")


@pytest.mark.req("RUN-3")
def test_a_substituted_statement_holds_its_value_and_no_placeholder() -> None:
    text = queries.get("chunks/by_vector", index="vec_bge_chunk")
    assert "VECTOR INDEX vec_bge_chunk FOR" in text
    assert not PLACEHOLDER.search(text.partition("CYPHER 25\n")[2])


@pytest.mark.req("RUN-3")
def test_schema_files_are_numbered_without_gap_and_every_statement_is_cypher_25() -> None:
    numbered = [file for file in SCHEMA if file.parent.name == "schema"]
    assert [int(file.stem[:3]) for file in numbered] == list(range(1, len(numbered) + 1))
    for file in numbered:
        statements = queries.statements(file.stem)
        assert statements
        assert all(re.match(r"CYPHER 25 \w", each) for each in statements)
        assert all(" IF NOT EXISTS " in each for each in statements)


def literals(tree: ast.Module) -> Iterator[str]:
    """Yield the strings of a module that are not documentation."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield str(node.value)


def modules() -> list[Path]:
    return [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]


@pytest.mark.req("RUN-3")
def test_no_module_holds_cypher() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {text[:60]}"
        for file in modules()
        if file != ROOT / PROBE
        for text in literals(ast.parse(file.read_text(encoding="utf-8")))
        if STATEMENT.search(text)
    ]
    assert found == []
    assert STATEMENT.search("MATCH (n) RETURN n")


@pytest.mark.req("RUN-3")
def test_every_query_is_used_and_every_use_is_a_query() -> None:
    texts = {
        text
        for file in modules()
        for text in literals(ast.parse(file.read_text(encoding="utf-8")))
        if re.fullmatch("[a-z_]+/[a-z_]+", text)
    }
    folders = {name.split("/")[0] for name in NAMES}
    used = {text for text in texts if text.split("/")[0] in folders}
    # The doctor's are run one after the other, as a folder.
    assert {name for name in NAMES if name not in used and not name.startswith("doctor/")} == set()
    assert used - set(NAMES) == set()
