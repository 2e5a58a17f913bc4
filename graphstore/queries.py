"""Queries: every Cypher statement comes from a file, by name. The only producer of query text.

`get("documents/put")` reads `cypher/queries/documents/put.cypher`. A statement varies only through
`$$index`, `$$label`, `$$property`, `$$type`, filled from closed tables here and checked
whole, so that no text from outside can ever become Cypher.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, LiteralString, cast

_PACKAGED: Final = Path(__file__).parent / "_cypher"
_CHECKOUT: Final = Path(__file__).parent.parent / "cypher"

ROOT: Final = _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT
"""The folder of `queries/` and `schema/`: inside the wheel, or in a checkout."""

VECTOR_KINDS: Final = ("chunk",)
"""Kinds of node that carry vectors, as they appear in the names of vector indexes."""

_SLUG: Final = "[a-z][a-z0-9_]{0,30}"
_JOB: Final = "Queued|Waiting|Running|Failed"
_PENDING: Final = _JOB.replace("|", r"\|")
_ALLOWED: Final[Mapping[str, re.Pattern[str]]] = {
    "index": re.compile(rf"ft_chunk|vec_{_SLUG}_({'|'.join(VECTOR_KINDS)})"),
    "label": re.compile(f"Chunk|Document|Entity|{_JOB}|{_PENDING}|Job&!\\({_PENDING}\\)"),
    "property": re.compile(rf"(vec|embed_error)_{_SLUG}"),
    "type": re.compile("[A-Z][A-Z0-9_]{0,39}"),
}
_PLACEHOLDER: Final = re.compile(r"\$\$([a-z]+)")


def get(name: str, **substitutions: str) -> LiteralString:
    """Return the statement `name`, a path below `cypher/queries` without its suffix.

    Raises:
        ValueError: a substitution is missing, unknown, or not of its closed table.
    """
    return _substituted(_read(f"queries/{name}.cypher"), name, substitutions)


def statements(name: str, **substitutions: str) -> tuple[LiteralString, ...]:
    """Return the statements of the schema file `name`, in order."""
    text = _substituted(_read(f"schema/{name}.cypher"), name, substitutions)
    bare = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    return tuple("CYPHER 25 " + part.strip() for part in bare.split(";") if part.strip())


@cache
def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _substituted(text: str, name: str, substitutions: Mapping[str, str]) -> LiteralString:
    for key, value in substitutions.items():
        pattern = _ALLOWED.get(key)
        if pattern is None or not pattern.fullmatch(value):
            message = f"Query {name}: {value!r} is no {key} of the closed tables."
            raise ValueError(message)

    def fill(match: re.Match[str]) -> str:
        if match[1] not in substitutions:
            message = f"Query {name} needs a value for $${match[1]}."
            raise ValueError(message)
        return substitutions[match[1]]

    # The one cast of the project: the text comes from our own files, the rest from closed tables.
    return cast("LiteralString", _PLACEHOLDER.sub(fill, text))
