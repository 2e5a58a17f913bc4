"""The parser of English: late, offline, shared, and no heavier with every passage."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from extraction.facts.parsing import Parser
from extraction.facts.records import Passage
from tests.unit.fact_reading import ABOUT, extractor

pytestmark = pytest.mark.req("FCT-1", part=True)

ROOT = Path(__file__).parents[2]

IMPORTS = """
import sys
import api.cli, api.ops.garage
import extraction.facts.distilling, extraction.facts.rules, extraction.facts.summary
print([name for name in ("spacy", "thinc", "dateparser") if name in sys.modules])
"""

WATCHED = """
import sys
seen = []
def watch(event, args):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo", "subprocess.Popen"}:
        seen.append(event)
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        seen.append(f"writes {args[0]}")
sys.addaudithook(watch)
from datetime import UTC, datetime
from extraction.facts.records import About, Passage
from extraction.facts.rules import RuleExtractor
about = About("Notes", "en", datetime(2026, 3, 4, tzinfo=UTC))
print(len(RuleExtractor().facts(Passage("Marta moved to Oslo two weeks ago."), about)), seen)
"""


def said(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nothing_loads_the_parser_before_it_is_needed() -> None:
    assert said(IMPORTS) == "[]"


def test_the_parser_calls_nobody_and_writes_nothing() -> None:
    assert said(WATCHED) == "1 []"


def test_threads_share_a_parser_and_get_the_same_facts() -> None:
    texts = [f"Marta sold boat number {n} to Jon in May 20{n}." for n in range(10, 30)]

    def facts(text: str) -> object:
        return extractor().facts(Passage(text), ABOUT)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(facts, texts)) == [facts(text) for text in texts]


def test_words_of_a_passage_are_given_back_with_it() -> None:
    parser = Parser()
    with parser.parsed(["A first sentence."]) as docs:
        strings = docs[0].vocab.strings
    before = len(strings)
    for n in range(20):
        with parser.parsed([f"Qzx{n}word sold wqz{n}thing."]) as docs:
            assert len(docs) == 1
    assert len(strings) <= before + 20
