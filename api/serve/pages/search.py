"""Search: the form, the hits with their reasons, and what to do when there are none."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from api.ops import search as ops
from api.ops import sources
from api.ops.garage import Caller, Garage
from api.ops.settings import MAX_HITS
from api.serve.pages import form, wording
from api.serve.pages.desk import STATUS, Desk, caller_of
from api.serve.pages.form import SearchForm
from api.serve.pages.rendering import page
from graphstore.errors import InvalidInput, TooLarge
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.records import Source

_MORE: Final = 2
"""How many times as many hits 'more' asks for."""
_LONGEST_WAY_BACK: Final = 2_000
"""Characters of a search's address that the page of a document still remembers."""
_CHOICES: Final = {"class": CLASSES, "trust": TRUST_TIERS, "kind": ops.KINDS}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search brought: a result, or a problem with what was asked, or neither."""

    sources: tuple[Source, ...]
    result: ops.SearchResult | None = None
    problem: InvalidInput | TooLarge | None = None


class SearchPage:
    """The page that everything begins with."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, request: Request) -> Response:
        """Show the form, and the hits when something is asked."""
        asked = form.read(request.query_params)
        answer = await self._desk.run(_answer, caller_of(request), asked)
        status = 200 if answer.problem is None else STATUS[type(answer.problem)]
        return page("search.html", status, form=asked, choices=_CHOICES, **_shown(asked, answer))


def _answer(garage: Garage, caller: Caller, asked: SearchForm) -> Answer:
    listed = sources.listed(garage)
    if not asked.is_asked:
        return Answer(listed)
    try:
        return Answer(listed, ops.search(garage, caller, asked.request()))
    except (InvalidInput, TooLarge) as error:
        return Answer(listed, problem=error)


def _shown(asked: SearchForm, answer: Answer) -> dict[str, Any]:
    """Return what the template shows of an answer."""
    hits = answer.result.hits if answer.result else ()
    lanes = wording.lanes_of(hits)
    more = min(len(hits) * _MORE, MAX_HITS)
    return {
        "sources": answer.sources,
        "documents": sum(source.documents for source in answer.sources),
        "result": answer.result,
        "problem": answer.problem,
        "wrong": form.field_of(answer.problem) if answer.problem else "",
        "found": [(hit, _address(hit, asked), wording.reasons(hit, lanes)) for hit in hits],
        "more": more if answer.result and answer.result.truncated and more > len(hits) else 0,
        "most": MAX_HITS,
    }


def _address(hit: ops.Hit, asked: SearchForm) -> str:
    """Return the page of a hit's document, at its passage, with the way back."""
    pairs = {"ref": hit.uri, "passage": hit.chunk_uid}
    if len(asked.address) <= _LONGEST_WAY_BACK:
        pairs["back"] = asked.address.partition("?")[2]
    return f"/document?{urlencode(pairs, errors='replace')}#found"
