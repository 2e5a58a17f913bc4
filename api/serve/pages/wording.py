"""Wording: what records say, in plain words. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from api.ops.search import Hit, LaneRank

CLASSES: Final = {
    "communication": "Messages",
    "document": "Documents",
    "code": "Code",
    "reference": "Reference",
}
TRUSTS: Final = {
    "authored": "Written by you",
    "received": "Received",
    "reference": "Reference",
}
KINDS: Final = {
    "chunk": "Passages",
    "fact": "Facts",
    "memory": "Memories",
    "summary": "Summaries",
}

ORIGINS: Final = {
    "user": "You",
    "agent": "An assistant",
    "dream": "Garage itself",
    "file": "A file",
}

_LINE_END: Final = re.compile(r"(?<!\n)\n(?!\s*\n|[-*#|>])")
"""The end of a line that goes on: no paragraph, item, heading, row or quotation begins after it."""
_PARAGRAPH: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Lane:
    """How a lane is told of. `detail` is filled with the name of its model and its score."""

    title: str
    ranks: str
    detail: str
    missed: str


LANES: Final[Mapping[str, Lane]] = {
    "vector": Lane(
        title="By meaning",
        ranks="among the passages nearest in meaning",
        detail="Nearness {score:.2f}, where 1 is the same; measured by {name}.",
        missed="not among the passages nearest in meaning",
    ),
    "fulltext": Lane(
        title="By words",
        ranks="among the passages that hold words of the question",
        detail="Strength {score:.1f}, which compares within this search only.",
        missed="not among the passages that hold words of the question",
    ),
    "recency": Lane(
        title="By date",
        ranks="by day of last change, newest first, of all that was found",
        detail="",
        missed="not ranked by date",
    ),
}
_OTHER: Final = Lane("By {name}", "in this lane", "Score {score:.3g}.", "not found by this lane")


@dataclass(frozen=True, slots=True)
class Reason:
    """One lane's part in a hit."""

    title: str
    text: str
    is_present: bool


def reasons(hit: Hit, lanes: Sequence[str]) -> tuple[Reason, ...]:
    """Return the part of each of `lanes` in a hit: where it ranked it, or that it did not."""
    ranked = {each.lane: each for each in hit.lanes}
    return tuple(_reason(name, ranked.get(name)) for name in lanes)


def lanes_of(hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the lanes that found any of the hits, in a fixed order."""
    order = list(LANES)
    names = {each.lane for hit in hits for each in hit.lanes}
    return tuple(sorted(names, key=lambda name: (_place(order, name), name)))


def _place(order: Sequence[str], name: str) -> int:
    kind = name.partition(":")[0]
    return order.index(kind) if kind in order else len(order)


def _reason(name: str, ranked: LaneRank | None) -> Reason:
    kind, _, model = name.partition(":")
    lane = LANES.get(kind, _OTHER)
    title = lane.title.format(name=name)
    if ranked is None:
        return Reason(title, f"{lane.missed}.", is_present=False)
    detail = lane.detail.format(name=model or name, score=ranked.score)
    return Reason(title, f"rank {ranked.rank} {lane.ranks}. {detail}".strip(), is_present=True)


def day(moment: datetime) -> str:
    """Return the day of a moment, as it was stored."""
    return f"{moment:%Y-%m-%d}"


def minute(moment: datetime) -> str:
    """Return a moment to the minute, in UTC."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def number(value: int) -> str:
    """Return a number with its thousands set apart."""
    return f"{value:,}"


def size(value: int) -> str:
    """Return a number of bytes in the unit that reads best."""
    left = float(value)
    for unit in ("bytes", "KiB", "MiB"):
        if left < 1024:
            return f"{left:,.0f} {unit}" if unit == "bytes" else f"{left:,.1f} {unit}"
        left /= 1024
    return f"{left:,.1f} GiB"


def size_of(text: str) -> int:
    """Return how many bytes a text has, as UTF-8."""
    return len(text.encode(errors="replace"))


def below(section: str, title: str) -> str:
    """Return the headings of a section without the title that stands above them already."""
    return section.removeprefix(title).removeprefix(" › ")


def flowing(text: str) -> str:
    """Return text whose paragraphs are one line each, to be wrapped where there is room."""
    return _PARAGRAPH.sub("\n", _LINE_END.sub(" ", text))


def class_name(value: str) -> str:
    """Return a class of text in plain words."""
    return CLASSES.get(value, value)


def trust_name(value: str) -> str:
    """Return a tier of trust in plain words."""
    return TRUSTS.get(value, value)


def kind_name(value: str) -> str:
    """Return a kind of hit in plain words."""
    return KINDS.get(value, value)


def origin_name(value: str) -> str:
    """Return who said a memory in plain words."""
    return ORIGINS.get(value, value)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "day": day,
    "minute": minute,
    "number": number,
    "size": size,
    "bytes": size_of,
    "below": below,
    "flowing": flowing,
    "class_name": class_name,
    "trust_name": trust_name,
    "kind_name": kind_name,
    "origin_name": origin_name,
}
"""Filters of the templates, by name."""
