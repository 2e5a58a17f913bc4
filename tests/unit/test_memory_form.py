"""The form of a memory: a change names only what was changed, and nobody's change is lost."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.serve.pages import memory_form
from api.serve.pages.memory_form import CHANGED
from graphstore.errors import InvalidInput
from graphstore.memories import Revision

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)
words = texts.map(lambda text: " ".join(text.split())).filter(bool)
labels = st.lists(words, unique=True, max_size=3).map(tuple)
moments = st.none() | st.datetimes(
    datetime(2030, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC)
)  # fmt: skip
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def said(**given: object) -> Revision:
    usual = {
        "number": 1, "text": "x", "title": "x", "is_titled": False, "tags": (), "subjects": (),
        "kind": "note", "importance": 0.5, "confidence": 1.0, "trust": "authored",
        "origin": "user", "client": "tester", "confirmed": True, "tier": "long",
        "expires_at": None, "at": MOMENT, "actor": "tester",
    }  # fmt: skip
    return Revision(**{**usual, **given})  # type: ignore[arg-type] - fields by name


memories = st.builds(
    said,
    text=words,
    title=words,
    is_titled=st.booleans(),
    tags=labels,
    subjects=labels,
    kind=st.sampled_from(["note", "fact"]),
    importance=st.floats(0, 1),
    expires_at=moments,
)


def as_sent(fields: dict[str, str]) -> dict[str, str]:
    """Return fields as a browser sends them, and the page reads them."""
    sent = {name: value.replace("\n", "\r\n") for name, value in fields.items()}
    return {"source": "", "class": "", "trust": "", "evidence": "", **sent}


@pytest.mark.req("MEM-6", part=True)
@given(memories, memories)
def test_a_change_names_what_differs_and_says_it_exactly(shown: Revision, wanted: Revision) -> None:
    fields, then = memory_form.typed(shown), memory_form.typed(wanted)
    nothing = memory_form.to_change(as_sent(fields), fields, 7)
    assert nothing == type(nothing)(expected_revision=7)
    change = memory_form.to_change(as_sent(then), fields, 7)
    assert (change.text or shown.text).replace("\r\n", "\n") == wanted.text
    assert (shown.tags if change.tags is None else change.tags) == wanted.tags
    assert (shown.subjects if change.subjects is None else change.subjects) == wanted.subjects
    assert (change.kind or shown.kind) == wanted.kind
    importance = shown.importance if change.importance is None else change.importance
    assert importance == wanted.importance
    expires = None if change.never_expires else change.expires_at or shown.expires_at
    assert expires == wanted.expires_at
    title = wanted.title if wanted.is_titled else ""
    assert (fields["title"] if change.title is None else change.title) == title


@pytest.mark.req("MEM-6", part=True)
@given(memories, memories, memories)
def test_of_two_changes_each_keeps_its_own_fields(
    before: Revision, mine: Revision, now: Revision
) -> None:
    base, my, their = (memory_form.typed(each) for each in (before, mine, now))
    both = memory_form.merged(my, their, base)
    for name in CHANGED:
        is_mine = name in memory_form.differing(my, base)
        assert both[name] == (my[name] if is_mine else their[name])
    # Where what was shown is not kept any more, everything in the form is the person's.
    assert memory_form.merged(my, their, None) == my


@pytest.mark.parametrize(
    ("name", "value"), [("importance", "much"), ("expires_at", "soon"), ("expires_at", "2026-13-1")]
)
def test_what_is_no_number_or_date_is_told_with_its_field(name: str, value: str) -> None:
    fields = memory_form.typed(said())
    with pytest.raises(InvalidInput, match=value) as told:
        memory_form.to_change(as_sent({**fields, name: value}), fields, 1)
    assert memory_form.field_of(told.value) == name
