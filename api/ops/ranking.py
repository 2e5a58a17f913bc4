"""Ranking: what the lanes of a search found, as one list, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from api.ops import fusion, standing
from api.ops.fusion import Fused, Lane
from api.ops.garage import Garage
from api.ops.settings import MEMORY
from api.ops.standing import Candidate
from graphstore.lanes import Owner
from graphstore.privacy import CLASSES

_VECTORLESS: Final = "vectorless "
_FIRST_BY_WORDS: Final = 1 / 3
"""Without vectors, what words rank among the first three is near the question."""


def _recency(owners: Mapping[str, Owner]) -> Lane:
    """Rank what the other lanes found by day of last change, newest first."""
    days = [(uid, float(owners[uid].changed_on.toordinal())) for uid in sorted(owners)]
    return Lane("recency", "recency", fusion.ranked(days))


def fused(garage: Garage, found: Sequence[Lane], owners: Mapping[str, Owner]) -> tuple[Fused, ...]:
    """Return what the lanes found of these owners as one list, best first.

    The recency lane joins in; memories of programs stand as `standing` has it.
    """
    settings = garage.settings.search
    alone = vectorless(found, owners) | _rare(found, settings.min_lane_hits)
    memories = frozenset(uid for uid, owner in owners.items() if owner.memory)
    kept = fusion.without_weak(found, settings.min_lane_hits, memories | alone)
    present = [
        Lane(lane.name, lane.kind, tuple(item for item in lane.items if item.uid in owners))
        for lane in kept
    ]
    there = {item.uid for lane in present for item in lane.items}
    mine = {uid: owner for uid, owner in owners.items() if uid in there}
    classes = {uid: _weighed_as(o, is_vectorless=uid in alone) for uid, o in mine.items()}
    # Recency joins after the guard: it finds nothing of its own, so it is never the last lane.
    fused_lanes = [*present, _recency(mine)]
    items = fusion.fuse(fused_lanes, _weights(garage), classes, settings.rrf_k)
    return _placed(garage, items, found, mine)


def vectorless(found: Sequence[Lane], owners: Mapping[str, Owner]) -> frozenset[str]:
    """Return what words alone can find: it waits for its vector, or was refused one.

    That is, by every model whose lane was asked; where none was, all that has no vector at all.
    """
    asked = {lane.name.partition(":")[2] for lane in found if lane.kind == "vector"}
    near = {item.uid for lane in found if lane.kind == "vector" for item in lane.items}
    return frozenset(
        uid
        for uid, owner in owners.items()
        if uid not in near and not (asked.intersection(owner.vectors) if asked else owner.vectors)
    )


def _rare(found: Sequence[Lane], few: int) -> frozenset[str]:
    """Return the finds of words that hardly any text says: a name, a number, a word of one's own.

    Nearness has little to say of these, so words find them in full, like what has no vector.
    """
    lanes = (lane for lane in found if lane.kind == "fulltext" and len(lane.items) < few)
    return frozenset(item.uid for lane in lanes for item in lane.items)


def _weighed_as(owner: Owner, *, is_vectorless: bool) -> str:
    kind = owner.corpus_class if owner.memory is None else MEMORY
    return f"{_VECTORLESS}{kind}" if is_vectorless else kind


def _weights(garage: Garage) -> fusion.Weights:
    """Return the weights with those of texts without vectors.

    No vector lane can rank those, so none takes its share from them: words find them in full.
    """
    table = garage.settings.search.weights
    return {
        kind: {
            **table.get(kind, {}),
            **{
                f"{_VECTORLESS}{each}": 0.0 if kind == "vector" else table[kind].get(each, 1.0)
                for each in (*CLASSES, MEMORY)
            },
        }
        for kind in {*table, "vector"}
    }


def _placed(
    garage: Garage, items: Sequence[Fused], found: Sequence[Lane], owners: Mapping[str, Owner]
) -> tuple[Fused, ...]:
    """Return items in order once memories of the short tier weigh less and stand behind."""
    if not any(owner.memory for owner in owners.values()):
        return tuple(items)
    near, likely = nearness(garage, found)
    weight = garage.settings.memory.short_weight
    marks = {item.uid: owners[item.uid].memory for item in items}
    candidates = [
        Candidate(
            uid=item.uid,
            score=item.score * (weight if mark and mark.is_short else 1.0),
            nearness=near.get(item.uid),
            is_owners=mark is not None and mark.is_confirmed,
            is_unconfirmed=mark is not None and not mark.is_confirmed,
        )
        for item in items
        for mark in [marks[item.uid]]
    ]
    scores = standing.guarded(candidates, likely)
    weighed = [replace(item, score=scores[item.uid]) for item in items]
    return tuple(sorted(weighed, key=lambda item: (-item.score, item.uid)))


def nearness(garage: Garage, found: Sequence[Lane]) -> tuple[dict[str, float], float]:
    """Return how near each find is to the question, and from where on it is likely an answer.

    By the first model's cosine; while no model can be asked, by the rank that words give.
    """
    likely = {f"vector:{each.slug}": each.low_confidence_cosine for each in garage.embedders}
    for lane in found:
        if lane.kind == "vector" and lane.items:
            return {item.uid: item.score for item in lane.items}, likely.get(lane.name, 0.0)
    words = (item for lane in found for item in lane.items)
    return {item.uid: 1 / item.rank for item in words}, _FIRST_BY_WORDS
