"""Chunking: a text becomes pieces that lose nothing and fit every model."""

import re
import textwrap
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction import chunking, context
from extraction.chunking import ChunkLimits
from extraction.wrapping import unwrapped
from graphstore.errors import InvalidInput, TooLarge
from graphstore.records import Draft, Form

SMALL = ChunkLimits(window=context.MAX_TOKENS + chunking.RESERVED + 40, full=20, most=40)

DRAFT = Draft(
    uri="notes:plan.md",
    path="plan.md",
    title="Garden plan",
    text="",
    form="text",
    mime="text/plain",
    language="en",
    corpus_class="document",
    trust="authored",
    content_sha256="",
    bytes=0,
    mtime=datetime(2026, 3, 4, tzinfo=UTC),
)


def count_tokens(text: str) -> int:
    """As a WordPiece tokenizer does: white space is free, a very long word is one token."""
    return sum(1 if len(word) > 100 else -(-len(word) // 4) for word in re.findall(r"\S+", text))


def chunks(text: str, form: Form = "text", language: str = "en", limits: ChunkLimits = SMALL):
    draft = replace(DRAFT, text=text, form=form, language=language)
    return chunking.split(draft, limits, count_tokens)


FRAGMENTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["\n\n", "\n", "# Head\n", "```\n", "- item\n", "\r\n", " " * 400, "x" * 900]),
    st.sampled_from(["def f():\n    return 1\n\n", "👩‍👩‍👧", "e\u0301", "文字。", "| a | b |\n"]),
)
FRONT = st.sampled_from(
    ["", "---\ntitle: a\n---\n", "+++\n" + "k = 1\n" * 30 + "+++", "---\n\n---"]
)
TEXTS = st.tuples(FRONT, st.lists(FRAGMENTS, max_size=40).map("".join)).map("".join)


@pytest.mark.req("SRC-2")
@given(TEXTS, st.sampled_from(["text", "markdown", "code"]))
@settings(max_examples=150, deadline=None)
def test_chunks_partition_any_text_and_none_is_blank(text: str, form: Form):
    found = chunks(text, form, "python")
    if text.strip():
        assert "".join(chunk.text for chunk in found) == text
    else:
        assert found == ()
    place = 0
    for number, chunk in enumerate(found):
        assert (chunk.ordinal, chunk.start) == (number, place)
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        place = chunk.end


@pytest.mark.req("EMB-1")
@given(TEXTS, st.sampled_from(["text", "markdown", "code"]))
@settings(max_examples=150, deadline=None)
def test_context_and_text_of_every_chunk_fit_the_smallest_window(text: str, form: Form):
    for chunk in chunks(text, form, "python"):
        read = context.embedded_text(chunk.context, chunk.text)
        assert count_tokens(read) + chunking.RESERVED <= SMALL.window


@pytest.mark.req("SRC-2")
def test_a_paragraph_that_was_wrapped_at_a_margin_is_cut_between_sentences():
    sentences = [
        f"The keeper of light {n} wrote down the weather of the morning." for n in range(40)
    ]
    text = textwrap.fill(" ".join(sentences), 72)
    found = chunks(text)
    assert "".join(chunk.text for chunk in found) == text
    assert all(chunk.text.rstrip().endswith(".") for chunk in found)


@pytest.mark.req("SRC-2")
@given(st.text(alphabet="ab \n.-:>\t", max_size=600))
def test_seeing_through_wrapped_lines_changes_no_length_and_no_letter(text: str):
    seen = unwrapped(text)
    assert [a == b or (a, b) == ("\n", " ") for a, b in zip(text, seen, strict=True)].count(
        False
    ) == 0


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    "line", ["- an item", "> quoted", "  indented", "1. first", "To: Bo", "-- "]
)
def test_a_line_that_begins_anew_is_no_continuation(line: str):
    text = "word " * 12 + "end\n" + line + " and so on"
    assert unwrapped(text) == text


@pytest.mark.req("SEA-7")
def test_rows_far_below_know_what_their_columns_are_called():
    rows = "".join(f"| Monday {n} | {n} mm |\n" for n in range(80))
    text = f"## Rain\n\n| day | amount |\n| --- | --- |\n{rows}\nAfter it.\n\n{'word ' * 30}"
    found = chunks(text, "markdown")
    assert "day | amount" not in found[0].context
    below = [chunk for chunk in found[1:] if chunk.text.startswith("| Monday")]
    assert len(below) > 3
    assert {chunk.context for chunk in below} == {"Garden plan › Rain › day | amount"}
    assert "amount" not in found[-1].context


@pytest.mark.req("SRC-2")
def test_a_text_that_fits_is_one_chunk():
    text = "A short note.\n\nWith two paragraphs.\n"
    assert [chunk.text for chunk in chunks(text, limits=ChunkLimits())] == [text]


@pytest.mark.req("SRC-2")
def test_an_edit_keeps_the_chunks_of_the_unchanged_paragraphs():
    paragraphs = [f"Paragraph {n} tells of bed {n} and of row {n * 7}. " * 3 for n in range(60)]
    before = {chunk.content_sha256 for chunk in chunks("\n\n".join(paragraphs))}
    paragraphs[10] = "Another paragraph stands here now, of nearly the same length as before."
    after = [chunk.content_sha256 for chunk in chunks("\n\n".join(paragraphs))]
    assert 1 <= sum(sha not in before for sha in after) <= 3


@pytest.mark.req("SRC-2")
def test_a_long_text_is_cut_in_sections_without_losing_its_headings():
    text = "".join(f"## Part {n}\n\n{'word ' * 30}\n\n" for n in range(400))
    found = chunks(text, "markdown")
    assert "".join(chunk.text for chunk in found) == text
    assert {chunk.heading for chunk in found} == {f"Part {n}" for n in range(400)}


@pytest.mark.req("SEA-7")
def test_a_heading_stays_with_the_text_that_follows_it():
    text = "".join(f"# Part {n}\n\n{'word ' * 25}\n\n" for n in range(6))
    for chunk in chunks(text, "markdown"):
        last_line = chunk.text.strip().splitlines()[-1]
        assert not last_line.startswith("#")


@pytest.mark.req("SEA-7")
def test_a_chunk_knows_the_path_of_headings_above_it():
    body = "word " * 30
    text = f"# Guide\n\n{body}\n\nSet *up*\n------\n\n{body}\n\n```\n# no heading\n{body}\n```\n\n"
    found = chunks(text, "markdown")
    assert found[0].heading == "Guide"
    assert {chunk.heading for chunk in found[1:]} == {"Guide › Set up"}


@pytest.mark.req("SEA-1")
def test_names_in_a_block_of_code_are_found_by_their_parts_wherever_it_was_cut():
    calls = "".join(f"    os.step{n}.run()\n" for n in range(60))
    text = f"# Guide\n\nSee example.org.\n\n```python\n{calls}```\n\n- item\n\n      odd.one()\n"
    found = chunks(text, "markdown")
    assert len(found) > 3
    for chunk in found:
        if "os.step" in chunk.text:
            assert "os step" in chunk.identifiers
    assert not any("example" in chunk.identifiers for chunk in found)
    assert "odd" in found[-1].identifiers


@pytest.mark.req("SEA-7")
def test_front_matter_is_no_heading():
    text = f"---\ntitle: Plan\n---\n\n{'word ' * 80}"
    assert {chunk.heading for chunk in chunks(text, "markdown")} == {""}


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("words", [4, 25, 36, 80, 400])
@pytest.mark.parametrize("mark", ["---", "+++"])
def test_front_matter_is_never_a_passage_of_its_own(words: int, mark: str):
    body = f"# The plan\n\n{'word ' * words}\n\n## Later\n\n{'more ' * words}"
    text = f"{mark}\ntitle: The plan of it\ntags: [garden]\n{mark}\n\n{body}"
    found = chunks(text, "markdown")
    assert "".join(chunk.text for chunk in found) == text
    assert found[0].text.startswith(mark)
    assert "word" in found[0].text
    assert found[0].heading.startswith("The plan")


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("language", sorted(chunking.GRAMMARS))
def test_every_grammar_of_the_table_cuts_code(language: str):
    text = "one = 1\n\n" * 120
    assert "".join(c.text for c in chunks(text, "code", language)) == text


@pytest.mark.req("SRC-2")
def test_code_is_cut_by_definition():
    # The widest gaps are inside the functions: a splitter of plain text would cut there.
    functions = [
        f"def step_{n}(value):\n    total = value\n\n\n\n    return total + {n}\n"
        for n in range(20)
    ]
    found = chunks("".join(functions), "code", "python")
    assert len(found) > 5
    assert all(chunk.text.lstrip().startswith("def step_") for chunk in found)


@pytest.mark.req("SRC-2")
def test_code_of_an_unknown_language_is_cut_by_lines():
    text = "".join(f"LINE {n} OF A PROGRAM\n" for n in range(100))
    found = chunks(text, "code", "cobol")
    assert len(found) > 5
    assert all(chunk.text.startswith("LINE ") for chunk in found)


@pytest.mark.req("SRC-2")
def test_a_word_without_end_does_not_make_one_huge_chunk():
    found = chunks("x" * 50_000)
    assert max(len(chunk.text) for chunk in found) <= 40 * chunking.CHARACTERS_PER_TOKEN


@pytest.mark.campaign("C40")
def test_a_document_with_too_many_chunks_is_refused_with_the_limit_and_the_setting():
    limits = replace(SMALL, max_chunks_per_document=5)
    with pytest.raises(TooLarge) as refused:
        chunks("word " * 2_000, limits=limits)
    assert re.search(r"gives \d+ chunks or more; more than 5 are not stored", str(refused.value))
    assert "ingest.max_chunks_per_document" in str(refused.value)
    assert len(chunks("word " * 50, limits=limits)) <= 5


@pytest.mark.campaign("C40")
def test_a_document_just_over_the_limit_of_chunks_is_refused_too():
    text = "word " * 150
    number = len(chunks(text))
    assert len(chunks(text, limits=replace(SMALL, max_chunks_per_document=number))) == number
    with pytest.raises(TooLarge):
        chunks(text, limits=replace(SMALL, max_chunks_per_document=number - 1))


@pytest.mark.campaign("C40")
def test_a_document_far_over_the_limit_is_refused_before_any_work():
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return count_tokens(text)

    draft = replace(DRAFT, text="word " * 2_000)
    with pytest.raises(TooLarge):
        chunking.split(draft, replace(SMALL, max_chunks_per_document=5), count)
    assert asked == []


@pytest.mark.req("SRC-3")
def test_half_a_character_is_refused_by_name():
    with pytest.raises(InvalidInput, match=r"notes:plan\.md holds half a character"):
        chunks("a\ud800b")


@pytest.mark.req("EMB-1")
def test_a_window_without_room_for_text_is_refused():
    with pytest.raises(InvalidInput, match="no room"):
        chunks("text", limits=ChunkLimits(window=60))


@pytest.mark.req("EMB-1")
def test_a_shorter_window_makes_shorter_chunks():
    text = "The quick garden grows well. " * 400
    wide, narrow = (chunks(text, limits=ChunkLimits(window=w)) for w in (512, 256))
    assert max(c.tokens for c in wide) > 200 >= max(c.tokens for c in narrow)
