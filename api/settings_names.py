"""Names of settings: in the file `section.key`, in the environment `GARAGE_SECTION__KEY`.

Light to import. A name that nobody declares is a problem, told with the nearest one that is.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

PREFIX: Final = "GARAGE_"
SPECIAL: Final = {
    "GARAGE_CONFIG": "the settings file",
    "GARAGE_DATA": "the data folder, like `data.folder`",
    "GARAGE_CACHE": "the cache folder, like `data.cache`",
}
"""Names in the environment that stand for no section."""
ALIASES: Final = {
    "NEO4J_URI": "neo4j.uri",
    "NEO4J_USERNAME": "neo4j.username",
    "NEO4J_PASSWORD": "neo4j.password",
    "NEO4J_DATABASE": "neo4j.database",
    "GARAGE_DATA": "data.folder",
    "GARAGE_CACHE": "data.cache",
}
SECRETS: Final = frozenset({"neo4j.password"})
"""Settings that are never shown."""
PLACES: Final = frozenset({"data.folder", "data.cache"})
"""Settings that say which service is meant, not how it runs."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the settings."""

    place: str
    """`file:line`, or the variable of the environment."""
    pointer: str
    """JSON pointer of the value, `/search/limit`; empty = the whole file."""
    what: str
    nearest: str
    """The name that was probably meant; empty when there is none."""
    next: str
    """What to do."""


@dataclass(frozen=True, slots=True)
class Given:
    """A setting that somebody set."""

    key: str
    """`section.key`, or `sources`."""
    value: Any
    origin: str
    """The file, or the variable."""
    is_text: bool = False
    """From the environment, where everything is text."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant; empty when none is near."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)), "")


def unknown(place: str, pointer: str, name: str, known: Iterable[str]) -> Problem:
    """Return the problem that there is no setting `name`."""
    near = nearest(name, known)
    hint = f"Did you mean '{near}'?" if near else "'garage config show' lists the names."
    return Problem(place, pointer, f"There is no setting '{name}'.", near, hint)


def variables(
    environment: Mapping[str, str], keys: Iterable[str]
) -> tuple[list[Given], list[Problem]]:
    """Return what the environment sets, and its names that set nothing."""
    names = {variable(key): key for key in keys if "." in key}
    given: list[Given] = []
    problems: list[Problem] = []
    for name in sorted(environment):
        if name in ALIASES:
            if environment[name]:
                given.append(Given(ALIASES[name], environment[name], name, is_text=True))
        elif name in names:
            given.append(Given(names[name], environment[name], name, is_text=True))
        elif name.startswith(PREFIX) and name not in SPECIAL:
            problems.append(unknown(name, "", name, [*names, *SPECIAL]))
    return given, problems


def variable(key: str) -> str:
    """Return the name of a setting in the environment."""
    return PREFIX + key.replace(".", "__").upper()
