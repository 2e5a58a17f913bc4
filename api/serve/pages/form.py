"""Form: the address of a search page as a request, and a request as an address. Pure.

Nothing is checked that the operation checks; what is no number or no date at all is told here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from api.ops.search import SearchRequest
from graphstore.errors import GarageError, InvalidInput, TooLarge
from graphstore.lanes import Filter

Pair = tuple[str, str]

MANY: Final = ("source", "class", "trust", "kind", "author", "mime")
"""Fields that may be there several times."""
ONE: Final = ("since", "until", "limit")
QUERY: Final = "q"
_FIELD_OF: Final = {**{name: name for name in (*MANY, *ONE)}, "include": "kind"}
"""The first word of the operation's message → the field that it is about."""


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What was asked, as it was typed."""

    query: str
    many: Mapping[str, tuple[str, ...]]
    one: Mapping[str, str]

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.query.strip())

    @property
    def filters(self) -> tuple[Pair, ...]:
        """Return every filter that is set: field, value."""
        many = [(name, value) for name in MANY for value in self.many[name]]
        return (*many, *((name, self.one[name]) for name in ("since", "until") if self.one[name]))

    @property
    def address(self) -> str:
        """Return the page of this search, without what was left empty."""
        return address(self._pairs())

    def without(self, field: str, value: str) -> str:
        """Return the page of this search with one filter less."""
        return address(pair for pair in self._pairs() if pair != (field, value))

    @property
    def unfiltered(self) -> str:
        """Return the page of this search without filters."""
        return address([(QUERY, self.query)])

    def with_limit(self, limit: int) -> str:
        """Return the page of this search with another limit."""
        pairs = [pair for pair in self._pairs() if pair[0] != "limit"]
        return address([*pairs, ("limit", str(limit))])

    def request(self) -> SearchRequest:
        """Return what to ask the operation.

        Raises:
            InvalidInput: a date or the limit is none; the message begins with the field's name.
        """
        wanted = Filter(
            sources=self.many["source"],
            classes=self.many["class"],
            trusts=self.many["trust"],
            mimes=self.many["mime"],
            authors=self.many["author"],
            since=moment("since", self.one["since"]),
            until=moment("until", self.one["until"]),
        )
        limit = _number("limit", self.one["limit"])
        return SearchRequest(self.query, limit, self.many["kind"], wanted, explain=True)

    def _pairs(self) -> tuple[Pair, ...]:
        limit = self.one["limit"]
        return ((QUERY, self.query), *self.filters, *([("limit", limit)] if limit else []))


def read(parameters: QueryParams) -> SearchForm:
    """Return the form that an address holds; fields left empty are not there."""
    many = {
        name: tuple(dict.fromkeys(v.strip() for v in parameters.getlist(name) if v.strip()))
        for name in MANY
    }
    one = {name: parameters.get(name, "").strip() for name in ONE}
    return SearchForm(parameters.get(QUERY, ""), many, one)


def address(pairs: Iterable[Pair]) -> str:
    """Return the address of a search page."""
    # Half a surrogate pair is no text, so it cannot be part of an address either.
    return f"/search?{urlencode(list(pairs), errors='replace')}"


def field_of(error: GarageError) -> str:
    """Return the field that an error is about; empty when it is about none."""
    if isinstance(error, TooLarge):
        return QUERY
    return _FIELD_OF.get(error.message.partition(" ")[0], "")


def moment(field: str, text: str) -> datetime | None:
    """Return the moment that a field names, in UTC where it says no zone; empty = none.

    Raises:
        InvalidInput: it is none; the message begins with the field's name.
    """
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{field} is '{text}'.", hint="Write a date as 2026-03-01.") from error
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _number(field: str, text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise InvalidInput(f"{field} is '{text}'.", hint="Write a number.") from error
