"""The filter after extraction, for rules and models alike. Deterministic, in this order:

ungrounded, kind, salience floor, shape, near-duplicates, caps by document and by length.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from extraction.facts.records import KINDS, Distillation, FactDraft, Kind, Passage

_FEWEST_WORDS: Final = 4
_TITLE_SHARE: Final = 0.8
_BARE: Final = re.compile(
    r"(?:https?://\S+|www\.\S+|\S+@\S+\.\S+|[\d./:-]+|\d{1,2}(?:st|nd|rd|th)?|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|"
    r"august|(?:septem|octo|novem|decem)ber|on|at|the|of|am|pm|[\W_]+)+",
    re.I,
)
_KEPT_MARKS: Final = frozenset({"Sc"})


@dataclass(frozen=True, slots=True)
class Profile:
    """What of a document's facts is kept. A category may have its own."""

    fact_kinds: tuple[Kind, ...] = KINDS
    min_salience: int = 3
    """Facts below it are not kept."""
    max_per_document: int = 40
    per_kchars: int = 4
    """Facts for each thousand characters begun; the smaller of both caps counts."""

    def cap(self, characters: int) -> int:
        """Return how many facts a document of this length may have."""
        return min(self.max_per_document, self.per_kchars * max(1, -(-characters // 1_000)))


def fact_sha256(text: str) -> str:
    """Return the hash of a fact: equal for texts that differ in case, blanks and punctuation.

    Signs that tell amounts apart count: `%`, currencies, the minus and the point of a number.
    """
    return hashlib.sha256(_normal(text).encode("utf-8", "surrogatepass")).hexdigest()


def filtered(
    drafts: Sequence[FactDraft], passages: Sequence[Passage], title: str, profile: Profile
) -> Distillation:
    """Return the facts that are kept, in the order of the text, and what was dropped by rule."""
    dropped: Counter[str] = Counter()
    kept: dict[str, FactDraft] = {}
    for draft in drafts:
        reason = _defect(draft, passages, title, profile)
        key = fact_sha256(draft.text)
        if not reason and key in kept:
            reason = "near-duplicate"
            kept[key] = max(kept[key], draft, key=lambda d: (d.salience.score, -_order(d)[0]))
        if reason:
            dropped[reason] += 1
        else:
            kept[key] = draft
    cap = profile.cap(sum(len(passage.text) for passage in passages))
    ranked = sorted(kept.values(), key=lambda d: (-d.salience.score, *_order(d)))
    if len(ranked) > cap:
        dropped["over the cap"] = len(ranked) - cap
    return Distillation(tuple(sorted(ranked[:cap], key=_order)), dropped=dict(dropped))


def _order(draft: FactDraft) -> tuple[int, int]:
    return draft.passage, draft.start


def _defect(draft: FactDraft, passages: Sequence[Passage], title: str, profile: Profile) -> str:
    if not is_grounded(draft, passages):
        return "ungrounded"
    if draft.kind not in profile.fact_kinds:
        return "another kind"
    if draft.salience.score < profile.min_salience:
        return "below the salience floor"
    return _shape(draft.text, title)


def is_grounded(draft: FactDraft, passages: Sequence[Passage]) -> bool:
    """Say whether a fact's quote stands where it says, and is not empty."""
    if not 0 <= draft.passage < len(passages) or not 0 <= draft.start < draft.end:
        return False
    text = passages[draft.passage].text
    return draft.end <= len(text) and text[draft.start : draft.end] == draft.quote


def _shape(text: str, title: str) -> str:
    """Return what is wrong with the form of a fact, or nothing."""
    words = text.split()
    if len(words) < _FEWEST_WORDS:
        return "fewer than four words"
    if text.isupper():
        return "all capitals"
    if _BARE.fullmatch(text):
        return "only a date or an address"
    plain, named = _normal(text), _normal(title)
    if named and SequenceMatcher(None, plain, named, autojunk=False).ratio() >= _TITLE_SHARE:
        return "repeats the title"
    return ""


def _normal(text: str) -> str:
    composed = unicodedata.normalize("NFC", text).casefold()
    characters = [c if c.isalnum() or _counts(composed, i) else " " for i, c in enumerate(composed)]
    return " ".join("".join(characters).split())


def _counts(text: str, i: int) -> bool:
    """Say whether a sign changes what a text says."""
    c = text[i]
    if c == "%" or unicodedata.category(c) in _KEPT_MARKS or unicodedata.combining(c):
        return True
    after = text[i + 1 : i + 2]
    before = text[i - 1 : i] if i else ""
    if c in ".,:/":
        return before.isdigit() and after.isdigit()
    return c in "-−+" and after.isdigit() and not before.isalnum()
