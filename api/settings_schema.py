"""The JSON Schema of the settings file, made from the classes that declare the settings.

What an editor shows while a person types is what the service checks: types, limits and defaults are
the same objects, descriptions are the docstrings.
"""

import ast
import inspect
from dataclasses import MISSING, Field, fields
from functools import cache
from itertools import pairwise
from typing import Any, Final, cast

from api.settings import Settings, kinds, sections
from api.settings_values import adapter

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """Return the schema."""
    properties: dict[str, Any] = {
        "$schema": {"type": "string", "description": "Where this schema is, for an editor."}
    }
    for section, cls in sections().items():
        about = documented(Settings)[section]
        if section == "sources":
            hint = adapter(kinds()["sources"]).json_schema()
            entry = _object(cls, hint["$defs"][cls.__name__]["properties"], "A source.")
            entry["required"] = [part.name for part in fields(cls) if default(part) is MISSING]
            properties[section] = {"description": about, "type": "array", "items": entry}
        else:
            known = {p.name: adapter(kinds()[f"{section}.{p.name}"]) for p in fields(cls)}
            shapes = {name: each.json_schema() for name, each in known.items()}
            properties[section] = _object(cls, shapes, about)
    return {
        "$schema": DIALECT,
        "title": "Settings of Garage",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


@cache
def documented(cls: type) -> dict[str, str]:
    """Return what the docstring under each field says; empty where there is none."""
    body = ast.parse(inspect.getsource(cls)).body[0]
    said: dict[str, str] = {part.name: "" for part in fields(cls)}
    lines = cast("ast.ClassDef", body).body
    for before, after in pairwise(lines):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            said[before.target.id] = " ".join(str(after.value.value).split())
    return said


def default(part: Field[Any]) -> Any:
    """Return the default of a field as JSON has it; MISSING when it must be given."""
    if part.default is not MISSING:
        value = part.default
    elif part.default_factory is not MISSING:
        value = part.default_factory()
    else:
        return MISSING
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _object(cls: Any, shapes: dict[str, Any], about: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for part in fields(cls):
        shape = {k: v for k, v in shapes[part.name].items() if k not in {"title", "default"}}
        known = {} if default(part) is MISSING else {"default": default(part)}
        properties[part.name] = {"description": documented(cls)[part.name], **shape, **known}
    return {
        "description": about,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
