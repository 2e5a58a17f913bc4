"""Judging of extracted facts against what careful readers wrote down."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from extraction.facts.base import Extractor
from extraction.facts.records import About, FactDraft, Passage

FILE: Final = Path(__file__).parent / "judged_facts.yaml"
_ARTICLES: Final = frozenset({"a", "an", "the", "[a]", "[an]", "[the]"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """A fact that a text states."""

    subject: re.Pattern[str]
    predicate: re.Pattern[str]
    object: re.Pattern[str]
    standings: tuple[str, ...]
    told: str

    def fits(self, fact: FactDraft) -> bool:
        return (
            fact.standing in self.standings
            and self.subject.fullmatch(plain(fact.subject)) is not None
            and self.predicate.fullmatch(plain(fact.predicate)) is not None
            and self.object.fullmatch(plain(fact.object)) is not None
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    expected: tuple[Judgement, ...]
    also: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One note or mail of three sentences."""

    id: str
    half: str
    about: About
    heading: str
    sentences: tuple[Sentence, ...]

    @property
    def passage(self) -> Passage:
        return Passage("\n\n".join(each.text for each in self.sentences), self.heading)


@dataclass(slots=True)
class Tally:
    """What became of one half."""

    right: int = 0
    extracted: int = 0
    found: int = 0
    expected: int = 0
    exact: int = 0
    wrong: list[str] | None = None

    @property
    def precision(self) -> float:
        return self.right / max(1, self.extracted)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.expected)


def cases() -> tuple[Case, ...]:
    return tuple(_case(each) for each in yaml.safe_load(FILE.read_text(encoding="utf-8")))


def tally(extractor: Extractor, chosen: Iterable[Case]) -> Tally:
    """Judge the facts of some cases, before any filter."""
    sums = Tally(wrong=[])
    for case in chosen:
        facts = extractor.facts(case.passage, case.about)
        for sentence, own in _by_sentence(case, facts):
            judge(case.id, sentence, own, sums)
        sums.exact += sum(_is_exact(case, fact) for fact in facts)
    return sums


def judge(name: str, sentence: Sentence, facts: Sequence[FactDraft], sums: Tally) -> None:
    assert sums.wrong is not None
    for fact in facts:
        is_right = any(each.fits(fact) for each in (*sentence.expected, *sentence.also))
        sums.extracted += 1
        sums.right += is_right
        if not is_right:
            told = f"{fact.subject} | {fact.predicate} | {fact.object} | {fact.standing}"
            sums.wrong.append(f"{name} wrong:  {told}")
    for each in sentence.expected:
        is_found = any(each.fits(fact) for fact in facts)
        sums.expected += 1
        sums.found += is_found
        if not is_found:
            sums.wrong.append(f"{name} missed: {each.told}")


def plain(text: str) -> str:
    words = re.sub(r"[’`]", "'", text).casefold().split()
    return " ".join(word for word in words if word not in _ARTICLES)


def _by_sentence(
    case: Case, facts: Sequence[FactDraft]
) -> Iterator[tuple[Sentence, list[FactDraft]]]:
    at = 0
    for sentence in case.sentences:
        end = at + len(sentence.text)
        yield sentence, [fact for fact in facts if at <= fact.start < end]
        at = end + 2


def _is_exact(case: Case, fact: FactDraft) -> bool:
    """Say whether a span is exactly its sentence, less the mark of a list item."""
    text = case.passage.text
    sentences = {each.text.removeprefix("- ") for each in case.sentences}
    return text[fact.start : fact.end] == fact.quote and fact.quote in sentences


def _case(raw: dict[str, Any]) -> Case:
    written = raw["date"]
    about = About(
        title=raw["title"],
        language="en",
        date=datetime(written.year, written.month, written.day, tzinfo=UTC),
        authors=(raw["author"],),
        addressees=tuple(raw.get("to", ())),
    )
    sentences = tuple(
        Sentence(
            each["text"],
            tuple(_judgement(line) for line in each["expected"]),
            tuple(_judgement(line) for line in each.get("also", ())),
        )
        for each in raw["sentences"]
    )
    return Case(raw["id"], raw["half"], about, raw.get("heading", ""), sentences)


def _judgement(line: str) -> Judgement:
    parts = [part.strip() for part in line.split("|")]
    subject, predicate, object_ = (_pattern(part) for part in parts[:3])
    standings = tuple(s.strip() for s in (parts[3] if len(parts) > 3 else "stated").split("/"))
    return Judgement(subject, predicate, object_, standings, line)


def _pattern(stated: str) -> re.Pattern[str]:
    """Return what matches one of the alternatives, with or without what is in brackets."""
    ways: list[str] = []
    for way in stated.split(" / "):
        pattern = ""
        for optional, needed in re.findall(r"\[([^\]]*)\]|([^\[\]]+)", way):
            words = plain(optional or needed)
            if not words:
                continue
            escaped = r"[^|]*" if words == "." else re.escape(words)
            pattern += f"(?: ?{escaped})?" if optional else f" ?{escaped}"
        ways.append(f"(?:{pattern})")
    return re.compile("|".join(ways))
