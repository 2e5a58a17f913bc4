"""Standing: the bound that no unconfirmed memory of a program passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ops import standing
from api.ops.standing import NEAR, Candidate

LIKELY = 0.5
CANDIDATES = st.lists(
    st.builds(
        lambda uid, score, near, who: Candidate(uid, score, near, who == 1, who == 2),
        st.text("abcdef", min_size=1, max_size=4),
        st.floats(0.001, 2),
        st.none() | st.floats(-1, 1),
        st.integers(0, 2),
    ),
    max_size=12,
    unique_by=lambda each: each.uid,
)


@pytest.mark.req("REC-4")
@pytest.mark.campaign("C17")
@given(CANDIDATES)
def test_the_owners_near_word_stands_before_every_unconfirmed_one(found: list[Candidate]) -> None:
    scores = standing.guarded(found, LIKELY)
    owners = [each for each in found if each.is_owners and each.nearness is not None]
    best = max((each.nearness or 0 for each in owners), default=0)
    near = [e for e in owners if (e.nearness or 0) >= max(LIKELY, best - NEAR)]
    for planted in (each for each in found if each.is_unconfirmed):
        assert all(scores[planted.uid] < scores[each.uid] for each in near)


@pytest.mark.req("REC-4")
@given(CANDIDATES)
def test_nothing_else_changes_its_score_and_none_rises(found: list[Candidate]) -> None:
    scores = standing.guarded(found, LIKELY)
    assert scores.keys() == {each.uid for each in found}
    for each in found:
        assert scores[each.uid] <= each.score
        if not each.is_unconfirmed:
            assert scores[each.uid] == each.score
    if not any(each.is_owners and (each.nearness or 0) >= LIKELY for each in found):
        assert scores == {each.uid: each.score for each in found}
