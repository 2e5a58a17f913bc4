"""Retrieval and ingest on public question sets: the fused search beside its lanes, in one run."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
import Stemmer

from api.ops import backfill, fusion, ingest, search, sources
from api.ops.fusion import Lane
from api.ops.garage import Caller, Garage, Stop
from api.ops.search import SearchRequest
from api.ops.sources import SourceRequest
from extraction.providers.base import Embedder
from graphstore import embedding_models, graphrag, lanes
from graphstore.lanes import EVERYWHERE
from tests.bench import passages
from tests.bench.passages import QuestionSet
from tests.graph.conftest import rows

pytestmark = [
    pytest.mark.bench,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(not passages.DATA.is_dir(), reason="../shared/data is not there"),
]

ME = Caller("bench", "cli")
MOMENT = 1_767_225_600
"""All files have one time: recency must not help or hurt."""

FLOORS = {
    "musique_train_hipporag": 67.0,
    "hotpotqa_train_hipporag": 90.0,
    "2wiki_migres200": 75.5,
}


def own_rate(embedder: Embedder, texts: Sequence[str]) -> float:
    """Return texts a second of the embedder alone."""
    begin = time.perf_counter()
    embedder.embed_passages(texts)
    return len(texts) / (time.perf_counter() - begin)


def store(garage: Garage, questions: QuestionSet, root: Path) -> float:
    """Ingest and embed the passages as files; return passages a second."""
    import os

    passages.write(questions.passages, root)
    for file in root.iterdir():
        os.utime(file, (MOMENT, MOMENT))
    sources.add(garage, ME, SourceRequest("passages", str(root)))
    begin = time.perf_counter()
    run = ingest.new_run(garage, ME, "passages", "bench")
    done = ingest.ingest(garage, ME, ingest.Request(run, False, lambda _: None, Stop()))
    assert done.counts["stored"] == len(questions.passages), done
    backfill.fill(garage, Stop())
    return len(questions.passages) / (time.perf_counter() - begin)


def by_bm25(questions: QuestionSet) -> list[list[str]]:
    names = list(questions.passages)
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    options: dict[str, Any] = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    index.index(bm25s.tokenize(list(questions.passages.values()), **options), show_progress=False)
    asked = bm25s.tokenize([q.text for q in questions.questions], **options)
    found, _ = index.retrieve(asked, k=100, show_progress=False)
    return [[names[int(place)] for place in line] for line in found]


def by_lane(garage: Garage, questions: QuestionSet) -> dict[str, list[list[str]]]:
    """Return what each lane, and equal-weight fusion of them, finds, by file name."""
    embedder = garage.embedders[0]
    (model,) = embedding_models.listed(garage.graph)
    path_of = paths(garage)
    found: dict[str, list[list[str]]] = {"dense": [], "full text": [], "equal RRF": []}
    found["neo4j-graphrag"] = []
    peer = graphrag.hybrid_peer(garage.graph, model, lambda q: embedder.embed_query(q).tolist())
    for question in questions.questions:
        vector = embedder.embed_query(question.text).tolist()
        dense = lanes.by_vector(garage.graph, model, vector, EVERYWHERE, 100)
        text = lanes.by_text(garage.graph, question.text, EVERYWHERE, 100)
        both = [
            Lane(name, name, tuple(fusion.Ranked(x.uid, n, x.score) for n, x in enumerate(lane, 1)))
            for name, lane in (("vector", dense), ("fulltext", text))
        ]
        classes = {item.uid: "document" for lane in both for item in lane.items}
        equal = fusion.fuse(both, {}, classes, 60)
        for name, items in (("dense", dense), ("full text", text), ("equal RRF", equal)):
            found[name].append(list(dict.fromkeys(path_of[item.uid] for item in items)))
        hybrid = peer(question.text, 100)
        found["neo4j-graphrag"].append(list(dict.fromkeys(path_of[p.uid] for p in hybrid)))
    return found


def by_garage(garage: Garage, questions: QuestionSet) -> tuple[list[list[str]], list[float]]:
    """Return what the product's search finds, and how long each took, ms."""
    quiet = replace(garage.settings, search=replace(garage.settings.search, log_enabled=False))
    asked = replace(garage, settings=quiet)
    found: list[list[str]] = []
    times: list[float] = []
    for question in questions.questions:
        begin = time.perf_counter()
        result = search.search(asked, ME, SearchRequest(question.text, limit=50))
        times.append(1000 * (time.perf_counter() - begin))
        found.append(list(dict.fromkeys(hit.path for hit in result.hits)))
    return found, times


def paths(garage: Garage) -> dict[str, str]:
    query = "MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk) RETURN c.uid AS uid, d.path AS path"
    return {str(row["uid"]): str(row["path"]) for row in rows(garage.graph, query)}


@pytest.mark.parametrize("name", passages.SETS)
def test_fused_search_is_not_below_its_best_lane(
    name: str, garage: Garage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = passages.load(name)
    alone = own_rate(garage.embedders[0], list(questions.passages.values())[:300])
    rate = store(garage, questions, tmp_path / "passages")
    found = {"BM25": by_bm25(questions), **by_lane(garage, questions)}
    found["Garage"], times = by_garage(garage, questions)
    figures = {
        method: [round(passages.recall(lists, questions.questions, k), 1) for k in (2, 5, 10)]
        for method, lists in found.items()
    }
    with capsys.disabled():
        print(f"\n{name}: {len(questions.passages)} passages, {len(questions.questions)} questions")
        print(
            f"  ingest with embedding {rate:.1f}/s, the embedder alone {alone:.1f}/s,"
            f" ratio {rate / alone:.2f}"
        )
        for method, values in figures.items():
            print(f"  {method:14} R@2 {values[0]:5} R@5 {values[1]:5} R@10 {values[2]:5}")
        print(
            f"  a search: p50 {np.percentile(times, 50):.0f} ms,"
            f" p95 {np.percentile(times, 95):.0f} ms"
        )
        print("  " + json.dumps({"set": name, "figures": figures}))
    best = max(figures[method][1] for method in ("dense", "full text"))
    assert figures["Garage"][1] >= best - 0.5
    assert figures["Garage"][1] >= FLOORS[name]
    assert rate / alone >= 0.6
