"""Markdown: the text stays as it is; front matter tells title, authors, date and class.

Front matter is YAML between `---` or TOML between `+++`. What is shown of a document omits it.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Final, cast

import yaml

from extraction.names import one_line
from extraction.readers.decoding import decode
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people, person
from graphstore.privacy import CLASSES
from graphstore.records import Author

_MAX_FRONT_MATTER: Final = 16 * 1024
_FENCE: Final = re.compile(r"(---|\+\+\+)[ \t]*\n")
_ENDS: Final = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE),
}
_LOADERS: Final[Mapping[str, Callable[[str], object]]] = {
    "---": yaml.safe_load,
    "+++": tomllib.loads,
}
_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_MAX_LINES: Final = 2_000
_DATE_KEYS: Final = ("updated", "modified", "lastmod", "date", "created")
_AUTHOR_KEYS: Final = ("authors", "author")
_SANE_YEARS: Final = range(1970, 2100)


def parse(raw: Raw) -> Parsed:
    """Return a Markdown file's text and what its front matter tells."""
    text = decode(raw.data)
    facts, body = _front_matter(text)
    title = facts.get("title")
    stated = facts.get("class", facts.get("corpus_class"))
    return Parsed(
        text,
        "markdown",
        title=one_line(title) if isinstance(title, str) else first_heading(text[body:]),
        authors=_authors(facts),
        corpus_class=stated if isinstance(stated, str) and stated in CLASSES else None,
        modified_at=_date(facts),
    )


def heading_of(text: str) -> str:
    """Return the first heading of a file's text after its front matter, or an empty string."""
    return first_heading(text[_front_matter(text)[1] :])


def first_heading(text: str) -> str:
    """Return the first ATX heading of Markdown text outside fenced code, or an empty string."""
    fence = ""
    for line in text[: 64 * 1024].split("\n", _MAX_LINES)[:_MAX_LINES]:
        mark = line.lstrip(" ")[:3]
        if mark in {"```", "~~~"}:
            fence = "" if fence == mark else fence or mark
        elif not fence and (heading := _HEADING.match(line)):
            return one_line(heading[1].rstrip("# \t"))
    return ""


def _front_matter(text: str) -> tuple[Mapping[str, object], int]:
    """Return the front matter's values and where the body begins."""
    start = _FENCE.match(text)
    end = (
        _ENDS[start[1]].search(text, start.end(), start.end() + _MAX_FRONT_MATTER)
        if start
        else None
    )
    if start is None or end is None:
        return {}, 0
    try:
        loaded = _LOADERS[start[1]](text[start.end() : end.start()])
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        # ValueError: a date as 2024-13-45; TypeError: a key that is a list.
        return {}, end.end()
    if not isinstance(loaded, dict):
        return {}, end.end()
    values = cast("dict[object, object]", loaded)
    return {key.lower(): value for key, value in values.items() if isinstance(key, str)}, end.end()


def _authors(facts: Mapping[str, object]) -> tuple[Author, ...]:
    stated = next((facts[key] for key in _AUTHOR_KEYS if facts.get(key)), None)
    entries = cast("list[object]", stated) if isinstance(stated, list) else [stated]
    found: list[Author] = []
    for entry in entries[:50]:
        if isinstance(entry, str):
            found += people(entry)
        elif isinstance(entry, dict):
            fields = cast("dict[object, object]", entry)
            name, email = fields.get("name"), fields.get("email")
            author = person(
                name if isinstance(name, str) else "", email if isinstance(email, str) else ""
            )
            found += [author] if author else []
    return tuple(dict.fromkeys(found))


def _date(facts: Mapping[str, object]) -> dt.datetime | None:
    for key in _DATE_KEYS:
        moment = _moment(facts.get(key))
        if moment and moment.year in _SANE_YEARS:
            return moment
    return None


def _moment(value: object) -> dt.datetime | None:
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, dt.datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        try:
            return aware.astimezone(dt.UTC)
        except OverflowError:
            return None
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    return None
