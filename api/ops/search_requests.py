"""Requests of search: what is asked, checked before any lane is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from api.ops.choices import one_of
from api.ops.garage import Garage
from api.ops.settings import MAX_HITS
from graphstore.errors import InvalidInput, TooLarge
from graphstore.lanes import Filter
from graphstore.privacy import CLASSES, TRUST_TIERS

KINDS: Final = ("chunk", "fact", "memory", "summary")
MAX_FILTER: Final = 100
"""Values of one filter."""
_MEDIA_TYPE: Final = re.compile(
    r"[^\s/]+/[^\s/]+|application|audio|font|image|message|model|multipart|text|video"
)
"""A media type, or all of one top-level type (RFC 6838)."""
MAX_QUERY: Final = 10_000
"""Characters of a query; a longer text is no question."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked."""

    query: str
    limit: int | None = None
    """At most 100; None = the setting `search.limit`."""
    include: tuple[str, ...] = ()
    """Kinds of hits; empty = all."""
    wanted: Filter = field(default_factory=Filter)
    explain: bool = False


def checked(garage: Garage, request: SearchRequest) -> int:
    """Return how many hits are wanted at most.

    Raises:
        InvalidInput: a filter or limit is outside its values.
        TooLarge: the query is longer than `MAX_QUERY`.
    """
    limit = garage.settings.search.limit if request.limit is None else request.limit
    if not 1 <= limit <= MAX_HITS:
        raise InvalidInput(f"limit is {limit}.", hint=f"Ask for 1 to {MAX_HITS} hits.")
    require_short(request.query)
    lists: dict[str, tuple[str, ...]] = {
        name: getattr(request.wanted, name)
        for name in ("sources", "classes", "trusts", "mimes", "authors")
    }
    for name, values in lists.items():
        if len(values) > MAX_FILTER:
            message = f"The filter '{name}' names {len(values):,} values; at most {MAX_FILTER}."
            raise InvalidInput(message, hint="Name fewer, or none for all.")
    for mime in request.wanted.mimes:
        if not _MEDIA_TYPE.fullmatch(mime):
            hint = "Write text/markdown or application/pdf, or text for every kind of text."
            raise InvalidInput(f"mime is '{mime}', which is no media type.", hint=hint)
    _among("include", request.include, KINDS)
    _among("class", request.wanted.classes, CLASSES)
    _among("trust", request.wanted.trusts, TRUST_TIERS)
    known = (
        {row["slug"] for row in garage.graph.read("sources/slugs")}
        if request.wanted.sources
        else ()
    )
    _among("source", request.wanted.sources, tuple(known))
    return limit


def readable(request: SearchRequest) -> SearchRequest:
    """Return a request that is text in every part."""
    wanted = replace(
        request.wanted,
        authors=tuple(map(as_text, request.wanted.authors)),
        mimes=tuple(map(as_text, request.wanted.mimes)),
    )
    return replace(request, query=as_text(request.query), wanted=wanted)


def require_short(query: str) -> None:
    """Do nothing for a query that may be asked.

    Raises:
        TooLarge: it is longer than `MAX_QUERY`.
    """
    if len(query) > MAX_QUERY:
        message = f"The query has {len(query):,} characters; at most {MAX_QUERY:,}."
        raise TooLarge(message, hint="Ask about one thing at a time.")


def as_text(given: str) -> str:
    """Return what is given as text: JSON may carry half a surrogate pair, which nothing takes."""
    return given.encode(errors="replace").decode()


def _among(name: str, values: Sequence[str], allowed: Sequence[str]) -> None:
    for value in values:
        one_of(name, value, sorted(allowed))
