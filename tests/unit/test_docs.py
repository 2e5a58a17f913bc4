"""The documents are true: links lead somewhere, queries fit the schema, commands exist."""

import re
from pathlib import Path

import pytest
from graphql import build_schema, parse, validate

REPOSITORY = Path(__file__).parent.parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


@pytest.mark.req("GQL-1")
def test_every_query_of_the_documents_fits_the_schema() -> None:
    schema = build_schema((REPOSITORY / "docs" / "schema.graphql").read_text(encoding="utf-8"))
    queries = [
        query
        for page in PAGES
        for query in re.findall(r"```graphql\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    assert queries
    assert [error.message for query in queries for error in validate(schema, parse(query))] == []


@pytest.mark.req("CLI-1")
def test_every_command_of_the_documents_exists() -> None:
    from api.cli.app import app

    names = {command.name for command in app.registered_commands}
    names |= {group.name for group in app.registered_groups}
    typed = {
        word
        for page in PAGES
        for word in re.findall(r"^(?:\.venv/bin/)?garage ([a-z-]+)", page.read_text("utf-8"), re.M)
    }
    assert typed
    assert typed - names == set()


def test_every_link_of_the_documents_leads_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
