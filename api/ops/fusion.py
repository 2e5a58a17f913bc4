"""Fusion: ranked lists become one. Pure.

Weighted reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009):
score(d) = Σ w(lane, class) / (k + rank), ranks from 1. The weights of a class sum to 1 over the
lanes, so that classes of text compete on equal terms. Scores of lanes are never added: only ranks
are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

Weights = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item in one lane."""

    uid: str
    rank: int
    """From 1; items that tie share a rank."""
    score: float


@dataclass(frozen=True, slots=True)
class Lane:
    """One ranked list. `kind` names its weights; `name` says which it is."""

    name: str
    kind: str
    items: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True)
class Fused:
    """One item with its fused score and the lanes that found it, heaviest first."""

    uid: str
    score: float
    lanes: tuple[tuple[str, Ranked], ...]


def ranked(pairs: Sequence[tuple[str, float]]) -> tuple[Ranked, ...]:
    """Return items ranked by falling score; equal scores share a rank, in the order given."""
    items: list[Ranked] = []
    for place, (uid, score) in enumerate(sorted(pairs, key=lambda pair: -pair[1]), start=1):
        tied = bool(items) and items[-1].score == score
        items.append(Ranked(uid, items[-1].rank if tied else place, score))
    return tuple(items)


def without_weak(
    lanes: Sequence[Lane], min_hits: int, kept: frozenset[str] = frozenset()
) -> tuple[Lane, ...]:
    """Drop lanes with fewer than `min_hits` items; never the last ones that found anything.

    Of a lane that is dropped, the items in `kept` stay: one memory alone must be found at once.
    """
    if not any(len(lane.items) >= min_hits for lane in lanes):
        return tuple(lane for lane in lanes if lane.items)
    rest = (
        lane
        if len(lane.items) >= min_hits
        else replace(lane, items=tuple(item for item in lane.items if item.uid in kept))
        for lane in lanes
    )
    return tuple(lane for lane in rest if lane.items)


def fuse(
    lanes: Sequence[Lane], weights: Weights, classes: Mapping[str, str], k: int
) -> tuple[Fused, ...]:
    """Return the items of `lanes`, best first; ties by uid, so that two runs agree.

    `classes` gives the corpus class of each item. What only lanes of weight 0 found is left out.
    """
    kinds = [lane.kind for lane in lanes]
    shares = {cls: _shares(weights, cls, kinds) for cls in set(classes.values())}
    scores: dict[str, float] = {}
    found: dict[str, list[tuple[float, str, Ranked]]] = {}
    for lane in lanes:
        for item in lane.items:
            share = shares[classes[item.uid]][lane.kind]
            scores[item.uid] = scores.get(item.uid, 0.0) + share / (k + item.rank)
            found.setdefault(item.uid, []).append((share, lane.name, item))
    return tuple(
        Fused(uid, score, _heaviest_first(found[uid]))
        for uid, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        if score > 0
    )


def _heaviest_first(found: Sequence[tuple[float, str, Ranked]]) -> tuple[tuple[str, Ranked], ...]:
    ordered = found if len(found) == 1 else sorted(found, key=_weight, reverse=True)
    return tuple((name, item) for _, name, item in ordered)


def _weight(found: tuple[float, str, Ranked]) -> float:
    return found[0]


def _shares(weights: Weights, corpus_class: str, kinds: Sequence[str]) -> dict[str, float]:
    """Return the share of a lane of each kind; `kinds` names one for each lane."""
    mine = {kind: weights.get(kind, {}).get(corpus_class, 1.0) for kind in kinds}
    total = sum(mine[kind] for kind in kinds)
    return {kind: weight / total if total else 1.0 / len(kinds) for kind, weight in mine.items()}
