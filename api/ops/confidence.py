"""Confidence: whether what lanes found probably answers a question. Pure.

Two measures, because nearness means different things. A passage of a document or reference is about
one thing: how near the nearest one is says enough. Talk is about everything at once, and any
question about people and plans is near some message; what tells an answer there is how many of the
question's words one message says (docs/benchmarks.md has both figures).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from api.ops.fusion import Lane, Ranked

TALK: Final = "communication"
"""The class of text that is judged by what it says."""
FIRST: Final = 5
"""So many of each lane's first finds of talk are looked at."""

_DISAGREEMENT: Final = 0.05
"""How much nearer the best passage must be when full text finds none of the near ones."""
_WORDLESS: Final = 0.13
"""How much nearer it must be when not one word of the query occurs anywhere."""
_SAID: Final = 0.57
"""The share of the question's words that talk must say where it is just near enough."""
_BEYOND_DOUBT: Final = 0.18
"""So much nearer, talk answers in whatever words."""

_STEM: Final = 5
"""Words are compared by so many first letters: n-gram truncation (McNamee and Mayfield, 2004)."""
_SHORT: Final = 3
"""Shorter words are left out of a question."""
_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that set no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNSAID: Final = frozenset(
    """
    about and are been but can could did does for from had has have her him his how into its not
    our she should such than that the their them then there these they this those was were what
    when where which who whom whose why will with would you your
    """.split()  # noqa: SIM905 - fifty lines of one word each
)
"""English words that ask or bind and name nothing. Of another language all words count."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is judged: the lane of one model, the words' lane, and what talk among them says."""

    question: str
    vector: Lane
    text: Lane
    likely: float
    """The cosine from which on this model's nearest passage probably answers."""
    talk: Mapping[str, str]
    """The texts of the finds of class `TALK` among each lane's first, by chunk."""
    talking: frozenset[str]
    """All finds of class `TALK`."""


def is_confident(judged: Judged) -> bool:
    """Say whether some passage probably answers."""
    if _UNSPACED.search(judged.question):
        return _is_near(judged, frozenset())
    return _is_near(judged, judged.talking) or _is_said(judged)


def _is_near(judged: Judged, apart: frozenset[str]) -> bool:
    near = [item for item in judged.vector.items if item.uid not in apart]
    words = [item for item in judged.text.items if item.uid not in apart]
    if not near:
        return False
    top, likely = near[0].score, judged.likely
    if not judged.text.items:
        return top >= likely + _WORDLESS
    return top >= likely + _DISAGREEMENT or (top >= likely and _agree(near, words))


def _agree(near: Sequence[Ranked], words: Sequence[Ranked]) -> bool:
    return bool({item.uid for item in near[:10]} & {item.uid for item in words[:10]})


def _is_said(judged: Judged) -> bool:
    cosines = {item.uid: item.score for item in judged.vector.items if item.uid in judged.talking}
    if any(cosine >= judged.likely + _BEYOND_DOUBT for cosine in cosines.values()):
        return True
    words = (word for word in _words(judged.question) if len(word) >= _SHORT)
    asked = _stems(word for word in words if word not in _UNSAID)
    if not asked:
        return False
    return any(
        cosines.get(uid, 0.0) * len(asked & _stems(_words(text)))
        >= judged.likely * _SAID * len(asked)
        for uid, text in judged.talk.items()
    )


def _words(text: str) -> Iterator[str]:
    return (found[0].lower() for found in _WORD.finditer(_INNER_CAPITAL.sub(" ", text)))


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words)
