"""Everything that is wrong with the settings, at once: the file, the environment, the secrets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from api import files, folders, settings, settings_file
from api.settings import Loaded
from api.settings_file import Content
from api.settings_names import SECRETS, Problem
from graphstore.errors import InvalidInput, Refused


def problems(config: str | None, environment: Mapping[str, str]) -> list[Problem]:
    """Return what is wrong, in the order of the file; empty = nothing is."""
    path = folders.config_file(environment, config)
    named = bool(config or environment.get("GARAGE_CONFIG"))
    try:
        content = settings_file.read(path, is_named=named)
    except settings_file.Broken as error:
        return [Problem(error.place, "", error.what, "", error.hint)]
    return [*settings.problems(content, environment), *exposed(content)]


def refuse_exposed(loaded: Loaded) -> None:
    """Refuse settings whose password others on this machine may read.

    Raises:
        Refused: they may; the hint says how to close the file.
        InvalidInput: the file of the password is not there.
    """
    found = loaded.settings.neo4j
    if found.password and loaded.origins.get("neo4j.password") == str(loaded.file):
        _refuse(loaded.file, "neo4j.password is in it")
    if found.password_file:
        path = Path(found.password_file).expanduser()
        if not path.is_file():
            message = f"neo4j.password_file is {path}; there is no such file."
            raise InvalidInput(message, hint="Make it, with mode 0600, or unset the setting.")
        _refuse(path, "it holds a password")


def _refuse(path: Path, why: str) -> None:
    if files.others_may_read(path):
        message = f"Others on this machine may read {path}, and {why}."
        raise Refused(message, hint=f"chmod 600 {path}")


def exposed(content: Content) -> list[Problem]:
    """Return the secrets that others on this machine may read."""
    found: list[Problem] = []
    section = content.values.get("neo4j")
    values = cast("dict[str, Any]", section) if isinstance(section, dict) else {}
    own = [f"/{key.replace('.', '/')}" for key in SECRETS if key.partition(".")[2] in values]
    for pointer in own:
        if files.others_may_read(content.path):
            what = f"Others may read this file, and {pointer[1:].replace('/', '.')} is in it."
            found.append(_open_to_others(content, pointer, what, content.path))
    named = values.get("password_file")
    if isinstance(named, str) and named:
        path = Path(named).expanduser()
        if not path.is_file():
            what = f"neo4j.password_file is {named}; there is no such file."
            place = content.place("/neo4j/password_file")
            found.append(Problem(place, "/neo4j/password_file", what, "", "Make it, mode 0600."))
        elif files.others_may_read(path):
            what = f"Others may read {path}, which holds a password."
            found.append(_open_to_others(content, "/neo4j/password_file", what, path))
    return found


def _open_to_others(content: Content, pointer: str, what: str, path: Path) -> Problem:
    return Problem(content.place(pointer), pointer, what, "", f"chmod 600 {path}")
