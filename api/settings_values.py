"""Values of settings, checked one by one against their types and limits.

A refusal names the key, the value, what is allowed and where the value stands. Numbers of a file
are numbers there: only the environment, which knows nothing else, may write them as text.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from api.settings_file import Content
from api.settings_names import SECRETS, Given, Problem, nearest

_MOST_SHOWN: Final = 60
_USER_INFO: Final = re.compile(r"://[^/\s]*@")
_TYPES: Final = {"boolean": "true or false", "object": "a table", "string": "text"}
_NUMBERS: Final = {"integer": "a whole number", "number": "a number"}

Schema = Mapping[str, Any]


def checked(
    given: Iterable[Given], kinds: Mapping[str, Any], content: Content
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the value of each key, the last one given, and everything that is wrong.

    `kinds` has the type of each key; `content` says on which line of the file a key stands.
    """
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for each in given:
        try:
            values[each.key] = _value(kinds[each.key], each)
        except ValidationError as error:
            details = _innermost(error.errors(include_url=False))
            problems += [_problem(each, detail, kinds[each.key], content) for detail in details]
    return values, problems


def from_argument(kind: Any, text: str) -> Any:
    """Return the JSON form of a value that a person typed: JSON, or plain text.

    Raises:
        ValidationError: it is no value of this kind.
    """
    known = adapter(kind)
    try:
        known.validate_json(text, strict=True)
    except ValidationError:
        return known.dump_python(_from_text(known, text), mode="json")
    return json.loads(text)  # as it was typed: what a type drops in silence is still to be refused


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return pydantic's view of a type."""
    return TypeAdapter(kind)


def allowed(kind: Any) -> str:
    """Say in words what a value of this type may be."""
    schema = adapter(kind).json_schema()
    return _words(schema, schema.get("$defs", {}))


def shown(key: str, value: Any) -> str:
    """Return a value as a message may show it: short, and without a secret."""
    if key in SECRETS:
        return "(hidden)"
    text = _USER_INFO.sub("://…@", json.dumps(value, ensure_ascii=False, default=list))
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _value(kind: Any, given: Given) -> Any:
    known = adapter(kind)
    if given.is_text:
        return _from_text(known, given.value)
    return known.validate_json(json.dumps(given.value), strict=True)


def _from_text(known: TypeAdapter[Any], text: str) -> Any:
    """Return the value that a text stands for; lists and tables are written as JSON."""
    try:
        return known.validate_strings(text)
    except ValidationError:
        if text[:1] not in {"[", "{"}:
            raise
        return known.validate_json(text, strict=True)


def _innermost(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out what only says that a part of it is wrong."""
    paths = [each["loc"] for each in details]
    return [
        each
        for each in details
        if not any(p[: len(each["loc"])] == each["loc"] != p for p in paths)
    ]


def _problem(given: Given, detail: ErrorDetails, kind: Any, content: Content) -> Problem:
    path = detail["loc"]
    is_name = path[-1:] == ("[key]",)
    path = path[:-1] if is_name else path
    key = ".".join([given.key, *(str(part) for part in path)])
    pointer = "/" + key.replace(".", "/")
    place = given.origin if given.is_text else content.place(pointer)
    root = adapter(kind).json_schema()
    schema = _inner(root, path[:-1] if is_name else path, root.get("$defs", {}))
    names = cast("Schema", schema.get("propertyNames", {}) if is_name else schema)
    may_be = _words(names, root.get("$defs", {}))
    if given.is_text and not path and root.get("type") in {"array", "object"}:
        may_be += ", written as JSON"
    if detail["type"] == "missing":
        what = f"{key} is missing; it is {may_be}."
    elif is_name:
        what = f"{key}: there is no '{path[-1]}' here; allowed: {may_be}."
    else:
        what = f"{key} is {shown(given.key, detail['input'])}; allowed: {may_be}."
    near = nearest(str(path[-1] if is_name else detail["input"]), names.get("enum", ()))
    return Problem(place, pointer, what, near, _next(given, place, near))


def _next(given: Given, place: str, near: str) -> str:
    meant = f"Did you mean '{near}'? " if near else ""
    if given.is_text:
        return f"{meant}Change or unset {given.origin} in the environment."
    return f"{meant}Change line {place.rpartition(':')[2]} of {given.origin}."


def _inner(schema: Schema, path: Iterable[str | int], defs: Schema) -> Schema:
    """Return the schema of a part of a value."""
    for part in path:
        schema = _plain(schema, defs)
        if isinstance(part, int):
            schema = schema.get("items", {})
        else:
            known = schema.get("properties", {})
            schema = known.get(part) or schema.get("additionalProperties") or {}
    return _plain(schema, defs)


def _plain(schema: Schema, defs: Schema) -> Schema:
    """Return a schema without the choice of null and without a reference."""
    for choice in cast("list[Schema]", schema.get("anyOf", [])):
        if choice.get("type") != "null":
            schema = choice
            break
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    return defs.get(reference, schema)


def _words(schema: Schema, defs: Schema) -> str:
    schema = _plain(schema, defs)
    kind = str(schema.get("type", ""))
    if "enum" in schema:
        return "one of " + ", ".join(str(name) or '""' for name in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    if kind in _NUMBERS:
        return _NUMBERS[kind] + _range(schema)
    if kind == "array":
        least = schema.get("minItems", 0)
        each = _words(schema.get("items", {}), defs)
        return f"a list{f' of at least {least}' if least else ''}, each {each}"
    return str(schema.get("$comment") or _TYPES.get(kind, "anything"))


def _range(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None or high is None:
        return ""
    above = "above " if "exclusiveMinimum" in schema else ""
    return f" {above}{'' if above else 'from '}{low:,} to {high:,}"
