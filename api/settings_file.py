"""The settings file: strict JSON, with errors that name the line. A key stands there once."""

import json
from pathlib import Path
from typing import Any, cast

from graphstore.errors import InvalidInput


def read(path: Path, *, is_named: bool) -> dict[str, Any]:
    """Return what the file says; nothing when it is empty, or missing and not named.

    Raises:
        InvalidInput: it cannot be read, or is not one JSON object with each key once.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        if is_named:
            raise InvalidInput(f"There is no settings file at {path}.") from error
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The settings file {path} cannot be read: {error}.") from error
    if not text.strip():
        return {}
    try:
        content: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        message = f"{path}:{error.lineno}: {error.msg}."
        raise InvalidInput(message, hint="The settings file is JSON.") from error
    except ValueError as error:
        raise InvalidInput(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise InvalidInput(f"{path} holds no object.", hint='It begins with "{".')
    known = cast("dict[str, Any]", content)
    known.pop("$schema", None)
    return known


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            message = f'"{name}" stands there twice.'
            raise ValueError(message)
    return dict(pairs)


def _no_constant(name: str) -> None:
    message = f"{name} is no number."
    raise ValueError(message)
