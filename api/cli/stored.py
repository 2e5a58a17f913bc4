"""Stored operations: the GraphQL that the command line sends, one file each, loaded by name."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "operations"


def operation(name: str) -> str:
    """Return the text of a stored operation."""
    return (FOLDER / f"{name}.graphql").read_text(encoding="utf-8")


def names() -> tuple[str, ...]:
    """Return the name of every stored operation."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.graphql")))
