"""Fusion: ranked lists become one, by rank alone, fairly between classes, the same every time."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ops import fusion
from api.ops.fusion import Lane, Ranked
from api.ops.settings import DEFAULT_WEIGHTS, MEMORY
from graphstore.privacy import CLASSES

K = 60
UIDS = [f"c{number}" for number in range(12)]
KINDS = ("vector", "fulltext", "recency")


@st.composite
def lanes(draw: st.DrawFn) -> tuple[Lane, ...]:
    return tuple(
        Lane(
            f"{kind}:{number}",
            kind,
            fusion.ranked(
                [
                    (uid, draw(st.integers(0, 5)) / 5)
                    for uid in draw(st.lists(st.sampled_from(UIDS), unique=True))
                ]
            ),
        )
        for number, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), max_size=4)))
    )


CLASS_OF = st.fixed_dictionaries({uid: st.sampled_from(CLASSES) for uid in UIDS})
WEIGHTS = st.fixed_dictionaries(
    {kind: st.fixed_dictionaries({c: st.floats(0.01, 10) for c in CLASSES}) for kind in KINDS}
)


@pytest.mark.req("SEA-1")
@given(st.lists(st.tuples(st.sampled_from(UIDS), st.integers(0, 3)), unique_by=lambda p: p[0]))
def test_ranks_fall_with_the_score_and_ties_share_one(pairs: list[tuple[str, float]]) -> None:
    items = fusion.ranked(pairs)
    assert sorted(item.uid for item in items) == sorted(uid for uid, _ in pairs)
    for item in items:
        assert item.rank == 1 + sum(other.score > item.score for other in items)


@pytest.mark.req("SEA-1")
@given(lanes(), WEIGHTS, CLASS_OF)
def test_a_first_place_in_every_lane_scores_alike_in_every_class(
    found: tuple[Lane, ...], weights: Mapping[str, Mapping[str, float]], classes: dict[str, str]
) -> None:
    firsts = [Lane(lane.name, lane.kind, (Ranked("c0", 1, 1.0),)) for lane in found]
    fused = fusion.fuse(firsts, weights, classes, K)
    assert [item.score for item in fused] == pytest.approx([1 / (K + 1)] * bool(firsts))


@pytest.mark.req("SEA-1")
@given(lanes(), WEIGHTS, CLASS_OF)
def test_the_fused_order_is_that_of_the_weighted_ranks_and_two_runs_agree(
    found: tuple[Lane, ...], weights: Mapping[str, Mapping[str, float]], classes: dict[str, str]
) -> None:
    fused = fusion.fuse(found, weights, classes, K)
    for item in fused:
        total = sum(weights[lane.kind][classes[item.uid]] for lane in found)
        score = sum(
            weights[lane.kind][classes[item.uid]] / total / (K + place.rank)
            for lane in found
            for place in lane.items
            if place.uid == item.uid
        )
        assert item.score == pytest.approx(score)
    assert {item.uid for item in fused} == {place.uid for lane in found for place in lane.items}
    assert list(fused) == sorted(fused, key=lambda item: (-item.score, item.uid))
    assert fused == fusion.fuse(found, weights, dict(reversed(classes.items())), K)


@pytest.mark.req("SEA-1")
@given(lanes(), lanes(), WEIGHTS, CLASS_OF)
def test_a_lane_of_weight_nothing_changes_nothing(
    found: tuple[Lane, ...],
    more: tuple[Lane, ...],
    weights: dict[str, dict[str, float]],
    classes: dict[str, str],
) -> None:
    weightless = [Lane(f"{lane.name}:0", "weightless", lane.items) for lane in more]
    zero = {**weights, "weightless": {str(each): 0.0 for each in CLASSES}}
    expected = [(item.uid, item.score) for item in fusion.fuse(found, weights, classes, K)]
    fused = fusion.fuse([*found, *weightless], zero, classes, K)
    assert [(item.uid, item.score) for item in fused] == expected or not found


@pytest.mark.req("SEA-1")
@given(lanes(), WEIGHTS, CLASS_OF)
def test_an_item_names_each_lane_that_found_it_heaviest_first(
    found: tuple[Lane, ...], weights: Mapping[str, Mapping[str, float]], classes: dict[str, str]
) -> None:
    kinds = {lane.name: lane.kind for lane in found}
    for item in fusion.fuse(found, weights, classes, K):
        named = [(lane.name, p) for lane in found for p in lane.items if p.uid == item.uid]
        assert sorted(item.lanes, key=str) == sorted(named, key=str)
        heavy = [weights[kinds[name]][classes[item.uid]] for name, _ in item.lanes]
        assert heavy == sorted(heavy, reverse=True)


@pytest.mark.req("SEA-1")
@given(lanes())
def test_a_lane_with_few_hits_is_dropped_but_never_the_last_that_found_anything(
    found: tuple[Lane, ...],
) -> None:
    kept = fusion.without_weak(found, 3)
    strong = [lane for lane in found if len(lane.items) >= 3]
    assert list(kept) == (strong or [lane for lane in found if lane.items])
    assert bool(kept) == any(lane.items for lane in found)


@pytest.mark.req("MEM-4")
def test_a_memory_stays_where_its_lane_is_too_weak_to_stay() -> None:
    strong = Lane("vector:a", "vector", tuple(Ranked(str(n), n, 0.5) for n in range(1, 5)))
    weak = Lane("fulltext", "fulltext", (Ranked("memory", 1, 9.0), Ranked("other", 2, 8.0)))
    kept = fusion.without_weak([strong, weak], 3, frozenset({"memory"}))
    assert [[item.uid for item in lane.items] for lane in kept] == [list("1234"), ["memory"]]
    assert fusion.without_weak([strong, weak], 3) == (strong,)


@pytest.mark.req("SEA-1")
def test_the_shipped_weights_name_every_lane_and_class() -> None:
    assert set(DEFAULT_WEIGHTS) == set(KINDS)
    assert all(set(weights) == {*CLASSES, MEMORY} for weights in DEFAULT_WEIGHTS.values())
