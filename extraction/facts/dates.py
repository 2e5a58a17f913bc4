"""Dates in a text: where they stand, which days they mean, and how exact they are.

What an expression means depends on the day it was written. Nothing is guessed: an expression that
could be two dates (`3/4/2026`) is none.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal

from extraction.facts.records import Granularity, Validity

Relation = Literal["at", "from", "until", "by"]
Leaning = Literal["past", "future", "current_period"]
"""Which `Friday` is meant: the verb's tense tells."""

_MONTH: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_SHORT: Final = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_ANY_MONTH: Final = rf"(?:{_MONTH}|(?:{_SHORT})\.?)"
_YEAR: Final = r"(?:19|20)\d\d"
_DAY: Final = r"(?:[12]\d|3[01]|0?[1-9])"
_WEEKDAY: Final = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NUMBER: Final = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT: Final = r"(?:day|week|month|year)"
_SEASON: Final = r"(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)"
_PART: Final = r"(?:(?:the\s+)?(?:end|beginning|start|middle)\s+of|early|late|mid)[\s-]+"

_EXPRESSION: Final = re.compile(
    rf"""(?<![\w.-])(?:
      (?P<iso>{_YEAR}-(?:0[1-9]|1[0-2])(?:-{_DAY})?)(?![\w-])
    | (?P<dotted>{_DAY}\.(?:1[0-2]|0?[1-9])\.{_YEAR})
    | (?P<day>{_DAY}(?:st|nd|rd|th)?\s+(?:of\s+)?{_ANY_MONTH}(?:,?\s+{_YEAR})?
        | {_ANY_MONTH}\s+{_DAY}(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?(?![\d:]))
    | (?P<quarter>Q[1-4](?:\s+{_YEAR})?)
    | (?P<part>{_PART})?(?P<month>{_ANY_MONTH}\s+{_YEAR})
    | (?P<part2>{_PART})(?P<bare>(?:(?:next|last|this)\s+)?(?:{_MONTH})|{_YEAR}|{_SEASON}\s+{_YEAR})
    | (?P<season>{_SEASON}\s+(?:of\s+)?{_YEAR})
    | (?P<named>(?:(?<=in\s)|(?<=[Ss]ince\s)|(?<=[Uu]ntil\s)|(?<=by\s)|(?<=from\s)|(?<=to\s)
        |(?<=In\s)|(?<=From\s)|(?<=By\s)|(?<=before\s)|(?<=after\s)|(?<=till\s)|(?<=and\s)
        |(?<=next\s)|(?<=last\s)|(?<=this\s))(?:{_MONTH}|{_YEAR})(?![\w-]))
    | (?P<relative>
        (?:(?:next|last|this)\s+)?{_WEEKDAY}
        | the\s+day\s+(?:before\s+yesterday|after\s+tomorrow)
        | [Yy]esterday|[Tt]omorrow|[Tt]oday|[Tt]onight
        | (?:[Nn]ext|[Ll]ast|[Tt]his)\s+(?:week|month|year)
        | {_NUMBER}\s+{_UNIT}s?\s+ago
        | [Ii]n\s+{_NUMBER}\s+{_UNIT}s?))(?!\w)""",
    re.VERBOSE,
)
_RELATIONS: Final[tuple[tuple[Relation, re.Pattern[str]], ...]] = (
    ("from", re.compile(r"(?:since|from|starting|as\s+of|after)(?:\s+on)?\s*$", re.I)),
    ("until", re.compile(r"(?:until|till|through|to|up\s+to|–|-|between\b.*\band)\s*$", re.I)),
    ("by", re.compile(r"(?:by|before|not\s+later\s+than|for)\s*$", re.I)),
)
_THIRDS: Final = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2}
_SEASON_MONTH: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Mention:
    """A date expression: `text[start:end]`."""

    start: int
    end: int
    kind: str
    relation: Relation
    words: str
    part: str = ""
    """`early`, `end of` and the like."""


def mentions(text: str) -> list[Mention]:
    """Return the date expressions of a sentence, in order."""
    found: list[Mention] = []
    for match in _EXPRESSION.finditer(text):
        if text[max(0, match.start() - 6) : match.start()].lower() == "every ":
            continue  # a habit, no date
        named = {name: value for name, value in match.groupdict().items() if value}
        part = named.pop("part", "") or named.pop("part2", "")
        kind = next(iter(named))
        relation = _relation(text[: match.start()])
        words = match[0][len(part) :].strip()
        found.append(Mention(match.start(), match.end(), kind, relation, words, part))
    return found


def _relation(before: str) -> Relation:
    tail = before[-48:]
    for name, words in _RELATIONS:
        if words.search(tail):
            return name
    return "at"


def validity(found: Iterable[Mention], written: datetime, leaning: Leaning, text: str) -> Validity:
    """Return when a fact holds whose sentence has these expressions."""
    start: datetime | None = None
    end: datetime | None = None
    exactness: Granularity = "document"
    used: list[Mention] = []
    for mention in found:
        since = text[: mention.start].rstrip().lower().endswith("since")
        period = _period(mention, written.date(), "past" if since else leaning)
        if period is None or mention.relation == "by":
            continue
        first, after, granularity = period
        if mention.relation == "until":
            end = after
        elif start is None:
            start = first
        else:
            continue
        exactness = granularity if exactness == "document" else exactness
        used.append(mention)
    if not used or (start and end and start >= end):
        return Validity(written.astimezone(UTC), None, "document")
    words = text[min(m.start for m in used) : max(m.end for m in used)]
    return Validity(start, end, exactness, words)


def _period(
    mention: Mention, written: date, leaning: Leaning
) -> tuple[datetime, datetime, Granularity] | None:
    """Return the first moment of what is meant, the first after it, and how exact that is."""
    found = _begins(mention, written, leaning)
    if found is None:
        return None
    first, granularity = found
    try:
        after = _after(first, granularity)
        if mention.part:
            first, after = _third(first, after, mention.part)
        return _moment(first), _moment(after), granularity
    except (OverflowError, ValueError):
        return None


def _begins(mention: Mention, written: date, leaning: Leaning) -> tuple[date, Granularity] | None:
    words = mention.words
    numbers = [int(n) for n in re.findall(r"\d+", words)]
    try:
        if mention.kind == "iso":
            day = numbers[2] if len(numbers) > 2 else 1
            return date(numbers[0], numbers[1], day), "day" if len(numbers) > 2 else "month"
        if mention.kind == "dotted":
            return date(numbers[2], numbers[1], numbers[0]), "day"
        if mention.kind == "quarter":
            year = numbers[1] if len(numbers) > 1 else written.year
            return date(year, 3 * numbers[0] - 2, 1), "quarter"
        if season := re.match(_SEASON, words):
            return date(numbers[-1], _SEASON_MONTH[season[0].lower()], 1), "season"
        if re.fullmatch(_YEAR, words):
            return date(numbers[0], 1, 1), "year"
    except ValueError:
        return None
    return _asked(" ".join(words.split()), written, leaning)


@lru_cache(maxsize=4_096)
def _asked(words: str, written: date, leaning: Leaning) -> tuple[date, Granularity] | None:
    # Imported here: what extracts nothing should not wait for it.
    from dateparser.date import DateDataParser

    # All that it would otherwise take from the machine, its clock and its zone, is given.
    settings = {
        "RELATIVE_BASE": datetime(written.year, written.month, written.day),
        "PREFER_DATES_FROM": leaning,
        "PREFER_DAY_OF_MONTH": "first",
        "PREFER_MONTH_OF_YEAR": "first",
        "RETURN_AS_TIMEZONE_AWARE": False,
        "TIMEZONE": "UTC",
    }
    spoken = re.sub(r"\bof\s+", "", words)
    try:
        data = DateDataParser(languages=["en"], settings=settings).get_date_data(spoken)
    except (OverflowError, ValueError):
        return None
    if data.date_obj is None:
        return None
    found = data.date_obj.date()
    unit = re.search(r"\b(week|month|year)s?\b", spoken)
    if unit and unit[1] == "week":
        return found - timedelta(days=found.weekday()), "week"
    if unit and unit[1] == "year":
        return date(found.year, 1, 1), "year"
    if unit or re.fullmatch(rf"(?:(?:next|last|this)\s+)?{_ANY_MONTH}(?:\s+{_YEAR})?", spoken):
        return found.replace(day=1), "month"
    return found, "day"


def _after(first: date, granularity: Granularity) -> date:
    """Return the first day after a period that begins on `first`."""
    if granularity in ("day", "week"):
        return first + timedelta(days=1 if granularity == "day" else 7)
    months = {"month": 1, "quarter": 3, "season": 3}.get(granularity, 12)
    count = first.year * 12 + first.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def _third(first: date, after: date, part: str) -> tuple[date, date]:
    """Return the first, middle or last third of a period."""
    word = next((w for w in re.findall(r"[a-z]+", part.lower()) if w != "the"), "")
    index = _THIRDS.get(word, 2)
    length = (after - first).days // 3
    begin = first + timedelta(days=index * length)
    return begin, after if index == 2 else begin + timedelta(days=length)


def _moment(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
