"""A running service: what an assistant waits for, and what the process holds while it ingests."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from api.client import find
from api.ops import sources
from api.ops.garage import Garage
from api.ops.sources import SourceRequest
from graphstore import embedding_models
from tests.bench.synthetic import Synthetic
from tests.bench.test_scale import ME, WIDE, fill, store
from tests.interaction.homes import Home
from tests.interaction.test_cli_mcp import Assistant

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1_800)]

CHUNKS = 10_000
ASKED = 120
FILES = 1_500
MCP_MS = 120
SERVICE_MB = 600


def test_a_search_over_mcp_answers_at_once(
    garage: Garage, home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = Synthetic.of(CHUNKS, WIDE)
    (model,) = embedding_models.listed(garage.graph)
    sources.add(garage, ME, SourceRequest("scale", str(tmp_path)))
    store(garage, corpus, 100)
    fill(garage, model, corpus)
    home.run("stats")  # waits until the service is ready
    assistant = Assistant(home)
    assistant.greet()
    spent: list[float] = []
    for place in range(ASKED):
        query = " ".join(corpus.texts[place * 7].split()[3:11])
        begin = time.perf_counter()
        answer = assistant.ask("tools/call", name="rag_search", arguments={"query": query})
        spent.append(1000 * (time.perf_counter() - begin))
        assert answer["result"]["structuredContent"]["hits"]
    relay_mb = psutil.Process(assistant.process.pid).memory_info().rss / 1e6
    assistant.leave()
    p50, p95 = np.percentile(spent[20:], (50, 95))
    with capsys.disabled():
        print(f"\n  a search over stdio, {CHUNKS:,} chunks: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
        print(f"  (at most {MCP_MS}); `garage mcp` holds {relay_mb:.0f} MB")
    assert p95 <= MCP_MS


def test_the_service_stays_small_while_it_ingests(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "files"
    root.mkdir()
    for number, text in enumerate(Synthetic.of(FILES).texts):
        (root / f"{number:04}.md").write_text(f"# Note {number}\n\n{text}", encoding="utf-8")
    home.run("add-source", "files", str(root))
    service = find(home.data)
    assert service is not None
    process = psutil.Process(service.pid)
    own: list[float] = []
    whole: list[float] = []
    run = home.start("ingest", "files")
    deadline = time.monotonic() + 1_200
    while not has_ended(run) or home.json("stats")["pending"]:
        assert time.monotonic() < deadline
        own.append(rss_mb(process))
        whole.append(own[-1] + sum(map(rss_mb, process.children(recursive=True))))
    run.communicate()
    with capsys.disabled():
        print(f"\n  while {FILES:,} files are ingested, the service holds {max(own):.0f} MB")
        print(f"  (at most {SERVICE_MB}), with its children {max(whole):.0f} MB")
    assert run.returncode == 0
    assert max(own) <= SERVICE_MB


def has_ended(run: "subprocess.Popen[bytes]") -> bool:
    """Say whether it has, a moment later at the latest."""
    with suppress(subprocess.TimeoutExpired):
        run.wait(0.2)
    return run.returncode is not None


def rss_mb(process: psutil.Process) -> float:
    """Return what a process holds; 0 when it has ended."""
    with suppress(psutil.NoSuchProcess):
        return process.memory_info().rss / 1e6
    return 0.0
