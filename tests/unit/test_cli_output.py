"""What the command line prints: stored text never speaks to the terminal itself."""

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.amounts import amount
from api.cli.app import run
from api.cli.output import cell_width, print_json, print_table
from api.cli.session import Session
from api.visible import safe, safe_line
from tests.stand_in import StandIn, standing_in

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt.exe\x00\x7f end"
_TURNING = {
    *"\u061c\u200e\u200f",
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
}


def speaks_to_terminals(text: str) -> bool:
    return any(
        (unicodedata.category(sign) == "Cc" and sign not in "\n\t") or sign in _TURNING
        for sign in text
    )


@pytest.fixture
def service(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "data") as stand_in:
        yield stand_in


def environment(service: StandIn) -> dict[str, str]:
    return {"GARAGE_DATA": str(service.data)}


@pytest.mark.campaign("C48")
@given(st.text())
def test_no_text_speaks_to_the_terminal(text: str) -> None:
    assert not speaks_to_terminals(safe(text))
    assert not speaks_to_terminals(safe_line(text))
    assert "\n" not in safe_line(text)


@pytest.mark.campaign("C48")
@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_harmless_text_is_printed_as_it_is(text: str) -> None:
    assert safe(text) == text


@pytest.mark.campaign("C48")
def test_a_hit_and_a_document_with_control_characters_are_escaped(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, operation in (("search q", "Search"), ("read d", "Read"), ("sources", "Sources")):
        assert run([*command.split(" "), "--json"], environment(service)) == 0
        made_up = json.loads(capsys.readouterr().out)
        value = {"items": made_up} if operation == "Sources" else made_up
        service.answers[operation] = {"field": hostile(value)}
        assert run(command.split(" "), environment(service)) == 0
        printed = capsys.readouterr()
        assert not speaks_to_terminals(printed.out + printed.err)
        assert "owned" in printed.out


@pytest.mark.campaign("C48")
def test_json_keeps_the_exact_text_and_holds_no_raw_control_character(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_json({"text": HOSTILE})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"text": HOSTILE}
    assert not speaks_to_terminals(printed)


@pytest.mark.req("CLI-1")
def test_columns_line_up_also_in_wide_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [("传感器", 1), ("sensor", 22)], Session({}))
    header, first, second = capsys.readouterr().out.splitlines()
    columns = [line.rstrip("n0123456789") for line in (header, first, second)]
    assert len({cell_width(column) for column in columns}) == 1


@pytest.mark.req("CLI-1")
def test_nothing_is_coloured_or_animated_where_there_is_no_terminal(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("search q", "stats", "ingest s"):
        assert run(command.split(" "), environment(service)) == 0
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err


def hostile(value: object) -> object:
    """Return an answer with hostile text in every string of a document."""
    if isinstance(value, dict):
        return {
            key: each if key in {"changedAt", "code", "hint", "message"} else hostile(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [hostile(each) for each in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.req("CLI-1", part=True)
def test_amounts_are_said_as_one_says_them() -> None:
    said = [amount(1, "chunk"), amount(0, "chunk"), amount(1_200, "memory", "memories")]
    assert said == ["1 chunk", "0 chunks", "1,200 memories"]


@pytest.mark.req("CLI-1", part=True)
def test_a_name_that_begins_like_an_option_is_told_how_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["read", "-rf.md"], {"GARAGE_DATA": str(tmp_path)}) == 2
    assert "comes after '--'" in capsys.readouterr().err
