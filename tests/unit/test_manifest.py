"""The manifest holds: no promise without a test, no test without a promise."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaign import CAMPAIGN, REQUIREMENTS, Promise

TESTS = Path(__file__).parent.parent


def marked(marker: str) -> dict[str, list[str]]:
    """Return the tests by the ids that `pytest.mark.<marker>` names."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in _ids(node, marker):
                found[name].append(f"{file.name}:{getattr(node, 'lineno', 0)}")
    return found


def _ids(node: ast.AST, marker: str) -> Iterator[str]:
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == marker
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "mark"
    ):
        yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))


@pytest.mark.parametrize(
    ("marker", "promises"), [("req", REQUIREMENTS), ("campaign", CAMPAIGN)], ids=["req", "campaign"]
)
def test_every_promise_that_is_kept_has_a_test_and_every_test_a_promise(
    marker: str, promises: dict[str, Promise]
) -> None:
    tests = marked(marker)
    unknown = {name: where for name, where in tests.items() if name not in promises}
    untested = [n for n, each in promises.items() if each.state != "open" and n not in tests]
    early = {n: tests[n] for n, each in promises.items() if each.state == "open" and n in tests}
    assert (unknown, untested, early) == ({}, [], {})


def test_every_open_promise_says_why() -> None:
    promises = {**REQUIREMENTS, **CAMPAIGN}
    assert [n for n, each in promises.items() if each.state != "done" and not each.reason] == []
