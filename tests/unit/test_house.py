"""The house is in order: sizes, lock files, and what must not be in the repository."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
ROOMS = ("graphstore", "extraction", "communities", "api")
MOST_LINES = 300
MOST_FUNCTION_LINES = 40
MOST_PARAMETERS = 5

LONG_MODULES: dict[str, str] = {}
"""Modules that may be longer, and why."""
LONG_FUNCTIONS: dict[str, str] = {
    "api/cli/corpus.py:add_source": "an option of the command is two lines",
    "api/cli/memory.py:edit": "an option of the command is two lines",
    "api/cli/searching.py:search": "an option of the command is two lines",
    "api/cli/storing.py:store": "an option of the command is two lines",
}
"""Functions that may be longer, and why."""
MANY_PARAMETERS: dict[str, str] = {
    "api/graphql/": "the arguments of a field are its parameters",
    "api/mcp/": "the arguments of a tool are its parameters",
    "api/cli/": "the options of a command are its parameters",
}
"""Folders or functions with more parameters, and why."""


def modules() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for file in sorted((REPOSITORY / room).rglob("*.py")):
            yield file.relative_to(REPOSITORY).as_posix(), file.read_text(encoding="utf-8")


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for name, text in modules():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name}:{node.name}", node


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in names if name not in {"self", "cls"}])


def test_modules_and_functions_are_short() -> None:
    long = {n: len(t.splitlines()) for n, t in modules() if len(t.splitlines()) > MOST_LINES}
    slow = {
        name: size
        for name, node in functions()
        if (size := (node.end_lineno or 0) - node.lineno + 1) > MOST_FUNCTION_LINES
    }
    assert {n: s for n, s in long.items() if n not in LONG_MODULES} == {}
    assert {n: s for n, s in slow.items() if n not in LONG_FUNCTIONS} == {}
    assert [n for n in LONG_MODULES if n not in long] == []
    assert [n for n in LONG_FUNCTIONS if n not in slow] == []


def test_functions_take_few_parameters() -> None:
    many = {name: parameters(n) for name, n in functions() if parameters(n) > MOST_PARAMETERS}
    assert {n: c for n, c in many.items() if not n.startswith(tuple(MANY_PARAMETERS))} == {}


def test_locks_hold_hashes_and_no_addresses() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert text.count("--hash=sha256:") > len(re.findall(r"^\S+==", text, re.MULTILINE))
    assert not [n for n in tracked() if n.endswith(("uv.lock", "poetry.lock", "package-lock.json"))]


def test_the_locks_pin_what_the_project_asks_for() -> None:
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    locked = (REPOSITORY / "requirements-dev.lock").read_text(encoding="utf-8").lower()
    pins = re.findall(r'^    "([A-Za-z0-9-]+==[^"*]+)",', project, re.MULTILINE)
    assert len(pins) > 40
    assert [pin for pin in pins if pin.lower() not in locked] == []


@pytest.mark.parametrize(
    "pattern",
    [
        "pypi[.]org|python"
        + "hosted|registry[.]npm"
        + "js|repo1?[.]maven|unpkg[.]com|js"
        + "delivr|cdn"
        + "js",
        "/(wor" + "k|far" + "m|roo" + "t)/",
    ],
    ids=["registries", "machines"],
)
def test_no_tracked_file_names_a_registry_or_a_path_of_one_machine(pattern: str) -> None:
    own = Path(__file__).relative_to(REPOSITORY).as_posix()
    found = [
        name
        for name in tracked()
        if name != own
        and (REPOSITORY / name).is_file()
        and re.search(pattern, (REPOSITORY / name).read_text(encoding="utf-8", errors="ignore"))
    ]
    assert found == []
