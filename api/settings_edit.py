"""Editing the settings file: one key at a time, checked before it is written, whole or not at all.

Other keys, their order and `$schema` stay as they are.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from api import files, folders, settings, settings_file, settings_names, settings_values
from api.settings_file import Content
from api.settings_names import Given
from graphstore.errors import GarageError, InvalidInput, NotFound, Refused

_SECRET: Final = re.compile(r"(password|secret|token|api_?key)$")
_SECRET_VALUE: Final = re.compile(r"://[^/\s]*@")


@dataclass(frozen=True, slots=True)
class Edit:
    """What an edit did."""

    file: Path
    key: str
    before: Any
    """The value that the file had; None when it had none."""
    after: Any
    overridden_by: str
    """The variable that wins over the file; empty when none does."""


def put(config: str | None, environment: Mapping[str, str], key: str, text: str) -> Edit:
    """Set a key of the settings file to a value that a person typed.

    Raises:
        NotFound: there is no such setting; the hint has the nearest name.
        Refused: the value is a secret, which must not stand on a command line.
        InvalidInput: it is not allowed there, or the file is broken.
    """
    kind = _kind(key)
    if _SECRET.search(key) or _SECRET_VALUE.search(text):
        message = f"A secret for {key} does not belong on a command line, where others can read it."
        file_key = f"{key}_file" if f"{key}_file" in settings.kinds() else "neo4j.password_file"
        raise Refused(message, hint=f"Write it to a file of mode 0600 and set {file_key} to it.")
    try:
        value = settings_values.from_argument(kind, text)
    except ValidationError as error:
        path = folders.config_file(environment, config)
        typed = Given(key, text, "the command", is_text=True)
        found = settings_values.checked([typed], settings.kinds(), Content(path))[1]
        hint = _meant(found[0].nearest) or f"'garage config get {key}' shows what counts now."
        raise InvalidInput(found[0].what, hint=hint) from error
    return _changed(config, environment, key, value)


def remove(config: str | None, environment: Mapping[str, str], key: str) -> Edit:
    """Take a key out of the settings file, so that its default counts.

    Raises:
        NotFound: there is no such setting; the hint has the nearest name.
        InvalidInput: the file is broken.
    """
    _kind(key)
    return _changed(config, environment, key, None)


def _kind(key: str) -> Any:
    known = settings.kinds()
    if key not in known:
        meant = _meant(settings_names.nearest(key, known))
        message = f"There is no setting '{key}'."
        raise NotFound(message, hint=meant or "'garage config show' lists them.")
    return known[key]


def _meant(near: str) -> str:
    return f"Did you mean '{near}'?" if near else ""


def _changed(config: str | None, environment: Mapping[str, str], key: str, value: Any) -> Edit:
    path = folders.config_file(environment, config)
    before = settings_file.read(path, is_named=False)
    values, old = _with(before.values, key, value)
    overridden = settings_names.variables(environment, [key])[0]
    edit = Edit(path, key, old, value, next((g.origin for g in overridden if g.key == key), ""))
    if values == before.values:
        return edit
    text = json.dumps(values, ensure_ascii=False, indent=2) + "\n"
    after = settings_file.parse(path, text)
    _check(before, after)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.rewrite(path, text)
    except OSError as error:
        raise GarageError(f"{path} cannot be written: {error.strerror}.") from error
    return edit


def _check(before: Content, after: Content) -> None:
    """Refuse an edit that leaves something wrong which was not wrong before."""
    known = {problem.what for problem in settings.problems(before, {})}
    new = [each for each in settings.problems(after, {}) if each.what not in known]
    if new:
        raise settings.refusal([replace(new[0], place=str(after.path))])


def _with(values: Mapping[str, Any], key: str, value: Any) -> tuple[dict[str, Any], Any]:
    """Return the values with a key set, or without it when `value` is None, and its old value."""
    section, _, name = key.partition(".")
    changed = dict(values)
    found: Any = changed.get(section, {}) if name else changed
    if not isinstance(found, dict):
        raise InvalidInput(f'"{section}" holds no object.', hint="'garage config check' says more.")
    table = dict(cast("dict[str, Any]", found))
    old = table.get(name or section)
    if value is None:
        table.pop(name or section, None)
    else:
        table[name or section] = value
    if not name:
        return table, old
    if table:
        changed[section] = table
    else:
        changed.pop(section, None)
    return changed, old
