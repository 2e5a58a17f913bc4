"""Extraction of facts without a model: how much is right, how much is found, at what price."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from extraction.facts.rules import RuleExtractor
from tests.bench import judging

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

PRECISION = 0.85
RECALL = 0.70
SENTENCES_PER_S = 120
MEGABYTES = 300
ROUNDS = 20

MEASURE = """
import psutil
from tests.bench import judging
own = psutil.Process()
before = own.memory_info().rss
from extraction.facts.rules import RuleExtractor
extractor = RuleExtractor()
cases = judging.cases()
peak = 0
for _ in range(5):
    for case in cases:
        extractor.facts(case.passage, case.about)
        peak = max(peak, own.memory_info().rss)
print(round((peak - before) / 1e6))
"""


@pytest.fixture(scope="module")
def extractor() -> RuleExtractor:
    return RuleExtractor()


@pytest.mark.req("FCT-1", part=True)
@pytest.mark.parametrize("half", ["development", "held out"])
def test_most_of_what_is_extracted_is_right_and_most_of_what_is_stated_is_found(
    extractor: RuleExtractor, half: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [case for case in judging.cases() if case.half == half]
    assert sum(len(case.sentences) for case in chosen) == 30
    sums = judging.tally(extractor, chosen)
    with capsys.disabled():
        print(
            f"\n  {half} half, 30 sentences: precision {sums.precision:.3f} "
            f"({sums.right}/{sums.extracted}, at least {PRECISION}), recall {sums.recall:.3f} "
            f"({sums.found}/{sums.expected}, at least {RECALL}), "
            f"spans exact {sums.exact}/{sums.extracted}"
        )
    assert sums.exact == sums.extracted
    assert sums.precision >= PRECISION
    assert sums.recall >= RECALL


@pytest.mark.req("FCT-1", part=True)
def test_extraction_is_fast(extractor: RuleExtractor, capsys: pytest.CaptureFixture[str]) -> None:
    cases = judging.cases()
    for case in cases:
        extractor.facts(case.passage, case.about)
    # Of the processor's time, so that other work on the machine does not count.
    begin, clock = time.process_time(), time.perf_counter()
    for _ in range(ROUNDS):
        for case in cases:
            extractor.facts(case.passage, case.about)
    count = ROUNDS * sum(len(case.sentences) for case in cases)
    each, passed = count / (time.process_time() - begin), count / (time.perf_counter() - clock)
    with capsys.disabled():
        print(
            f"\n  {each:.0f} sentences a second of one processor (at least {SENTENCES_PER_S}), "
            f"{passed:.0f} by the clock; filter and storing not included"
        )
    assert each >= SENTENCES_PER_S


@pytest.mark.req("FCT-1", part=True)
def test_the_parser_takes_little_memory(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], cwd=root, capture_output=True, text=True, check=True
    )
    with capsys.disabled():
        print(f"\n  {done.stdout.strip()} MB over the process's own (at most {MEGABYTES})")
    assert int(done.stdout) <= MEGABYTES
