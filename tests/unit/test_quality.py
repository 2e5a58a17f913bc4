"""The quality gate, languages: what passes, what does not."""

import base64
import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.language import programming_language, prose_language
from extraction.quality import defect_of

ENGLISH = "The lighthouse keeper wrote down the weather every morning before breakfast. "
NOISE = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(256))

WORTH_STORING = {
    "prose": ENGLISH * 20,
    "one long line of prose": ENGLISH * 500,
    "Chinese in one line": "灯塔看守人每天早餐前都会记录天气情况，然后走下楼梯。" * 200,
    "Japanese": "灯台守は毎朝、朝食の前に天気を書き留めました。" * 50,
    "Thai without spaces": "ผู้ดูแลประภาคารจดบันทึกสภาพอากาศทุกเช้าก่อนอาหาร" * 40,
    "Hindi with vowel signs": "प्रकाशस्तंभ का रखवाला हर सुबह मौसम लिखता था। " * 40,
    "a table": "| year | rain | sun |\n| --- | --- | --- |\n" + "| 1 | 2.5 | - |\n" * 80,
    "numbers": "\n".join(f"{n},{n * n},{n / 7:.3f}" for n in range(300)),
    "a poem": "O sea,\n    O sea!\n\n        you — again?\n" * 30,
    "a gene": "ACGTTGCAAC" * 300,
    "a log": "2026-01-01T00:00:00Z [info] GET /a/b?c=d 200 (3 ms)\n" * 60,
    "prose with a picture in it": ENGLISH * 60 + base64.b64encode(NOISE[:900]).decode(),
    "short signs": "?!… --- *** ;-)",
}


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("name", WORTH_STORING)
def test_text_that_somebody_may_look_for_passes(name: str) -> None:
    assert defect_of(WORTH_STORING[name], "text") is None


@pytest.mark.req("SRC-2")
def test_code_of_every_shape_passes_unless_it_is_minified() -> None:
    code = "".join(
        f"def f{n}(x):\n    return {{'a': x[{n}], 'b': [*x, -{n}]}}\n" for n in range(99)
    )
    assert defect_of(code, "code") is None
    minified = "".join(f"var a{n}=function(b){{return b.c({n})||d[{n}]}};" for n in range(400))
    assert defect_of(minified, "code") == "minified or generated code"


NOT_WORTH = {
    "base64": (base64.encodebytes(NOISE).decode(), "encoded blob"),
    "base64 in one line": (base64.b64encode(NOISE).decode(), "encoded blob"),
    "bytes as text": (zlib.compress(NOISE).decode("latin-1"), "control"),
    "undecodable": ("�x" * 400, "control"),
    "one letter": ("A" * 20_000, "over and over"),
    "yes and no": ("0 1\n" * 5_000, "over and over"),
    "rulers": ("=-" * 40 + "\n" + "+---" * 200, "not letters"),
}


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("name", NOT_WORTH)
def test_noise_is_refused_with_its_reason(name: str) -> None:
    text, reason = NOT_WORTH[name]
    assert reason in (defect_of(text, "text") or "")


@pytest.mark.req("SRC-2")
@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=9), min_size=60))
def test_words_in_any_script_pass(words: list[str]) -> None:
    assert defect_of(" ".join(words), "markdown") is None


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C09")
@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("unit", "reason"),
    {
        "A": "minified or generated code",
        "aA0": "an encoded blob (base64 or the like)",
        "=": "mostly not letters or digits",
        "(a": "minified or generated code",
        "a\n": "one or two signs, over and over",
        "\n": None,
        "�": "mostly control or undecodable characters",
    }.items(),
)
def test_the_gate_ends_for_hostile_text_of_any_kind(unit: str, reason: str | None) -> None:
    assert defect_of(unit * 1_000_000, "code") == reason


SENTENCES = {
    "en": ENGLISH,
    "de": "Der Leuchtturmwärter schrieb jeden Morgen vor dem Frühstück das Wetter auf.",
    "fr": "Le gardien du phare notait le temps chaque matin avant le petit déjeuner.",
    "ru": "Смотритель маяка каждое утро перед завтраком записывал погоду.",
    "zh": "灯塔看守人每天早餐前都会记录天气情况，然后走下楼梯。",
    "und": "42 + 17 = 59",
}


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("language", SENTENCES)
def test_the_language_of_prose_is_found_offline(language: str) -> None:
    assert prose_language(SENTENCES[language]) == language


@pytest.mark.req("SRC-2")
def test_the_language_of_code_is_told_by_the_name() -> None:
    names = {"a/b.PY": "python", "Makefile": "makefile", "x.tsx": "typescript", "notes.txt": None}
    assert {name: programming_language(name) for name in names} == names
