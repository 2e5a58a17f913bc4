"""Chunks compared: what an edit keeps, removes and creates always adds up to the new text."""

from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.context import content_sha256
from graphstore import chunks
from graphstore.chunks import Change, Place
from graphstore.records import ChunkDraft
from graphstore.session import Row

PLACE = Place("doc", "notes", "document", "authored")
PIECES = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("uvwxyz")), max_size=8)
Pieces = list[tuple[str, str]]


def drafts(pieces: Pieces) -> list[ChunkDraft]:
    return [
        ChunkDraft(n, n, n + 1, text, context, "", "", 1, content_sha256(context, text))
        for n, (context, text) in enumerate(pieces)
    ]


def applied(stored: list[Row], change: Change) -> list[Row]:
    """Return what a store holds after a change, in the order of its chain."""
    held = {row["uid"]: dict(row) for row in stored if row["uid"] not in change.remove}
    held |= {row["properties"]["uid"]: row["properties"] for row in change.create}
    for row in change.update:
        held[row["uid"]] |= row["properties"]
    assert sorted(held) == sorted(uid for uid, _ in change.texts)
    return [held[uid] for uid, _ in change.texts]


@pytest.mark.req("SRC-2")
@given(PIECES, PIECES)
def test_a_change_turns_the_stored_chunks_into_those_of_the_draft(old: Pieces, new: Pieces) -> None:
    numbers = count()
    before = applied([], chunks.compare(PLACE, drafts(old), [], numbers))
    change = chunks.compare(PLACE, drafts(new), before, numbers)
    after = applied(before, change)
    assert [(row["context"], row["text"], row["ordinal"]) for row in after] == [
        (context, text, n) for n, (context, text) in enumerate(new)
    ]
    assert change.kept + len(change.create) == len(new)
    assert len({row["ix"] for row in before + after}) == len({r["uid"] for r in before + after})


@pytest.mark.req("SRC-2")
@given(PIECES, PIECES)
def test_as_many_nodes_and_vectors_are_kept_as_can_be(old: Pieces, new: Pieces) -> None:
    numbers = count()
    before = applied([], chunks.compare(PLACE, drafts(old), [], numbers))
    change = chunks.compare(PLACE, drafts(new), before, numbers)
    texts = Counter(text for _, text in old) & Counter(text for _, text in new)
    assert change.kept == texts.total()
    assert change.kept - len(change.unembed) == (Counter(old) & Counter(new)).total()
    shas = {row["uid"]: row["content_sha256"] for row in before}
    after = {row["uid"]: row["content_sha256"] for row in applied(before, change)}
    assert set(change.unembed) == {
        uid for uid in shas.keys() & after.keys() if shas[uid] != after[uid]
    }


@pytest.mark.req("SRC-2")
@given(PIECES)
def test_the_same_text_again_changes_nothing(pieces: Pieces) -> None:
    before = applied([], chunks.compare(PLACE, drafts(pieces), [], count()))
    change = chunks.compare(PLACE, drafts(pieces), before, count(100))
    assert (change.create, change.update, change.unembed, change.remove) == ([], [], [], [])


@pytest.mark.req("SRC-5")
@given(PIECES)
def test_another_class_reaches_every_chunk_and_costs_no_vector(pieces: Pieces) -> None:
    before = applied([], chunks.compare(PLACE, drafts(pieces), [], count()))
    place = Place("doc", "notes", "communication", "received")
    change = chunks.compare(place, drafts(pieces), before, count(100))
    after = applied(before, change)
    assert {(row["class"], row["trust"]) for row in after} <= {("communication", "received")}
    keys = {row["class_key"] for row in before} & {row["class_key"] for row in after}
    assert (keys, change.unembed, change.create, change.remove) == (set(), [], [], [])
