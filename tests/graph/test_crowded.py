"""Filters in a crowd: 1 % of the chunks is wanted, and everything else matches better."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from api.ops import backfill, search, sources
from api.ops.garage import Garage, Stop
from api.ops.search import SearchRequest, SearchResult
from api.ops.settings import OpsSettings
from api.ops.sources import SourceRequest
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore import documents, lanes
from graphstore.clock import new_uid
from graphstore.documents import Unit, Writing
from graphstore.journal import Activity
from graphstore.lanes import EVERYWHERE, Filter, Scope
from graphstore.records import Author, ChunkDraft, Draft
from graphstore.session import Graph
from tests.graph.conftest import OWNER, SteppingClock, at_once, empty, rows
from tests.words import WordEmbedder

CROWD, EACH, WANTED = 31, 100, 30
QUERY = "river gauge level"
OLD, NEW = datetime(2020, 3, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


def draft(source: str, number: int, texts: list[str], **changes: object) -> Unit:
    """Return a document made of these chunks."""
    whole = "".join(texts)
    document = Draft(
        uri=f"{source}:{number}.md",
        path=f"{number}.md",
        title=f"Document {number}",
        text=whole,
        form="text",
        mime="text/markdown",
        language="en",
        corpus_class="document",
        trust="authored",
        content_sha256=hashlib.sha256(whole.encode()).hexdigest(),
        bytes=len(whole),
        mtime=NEW,
        authors=(Author("Bo Example", "email:bo@example.org"),),
    )
    pieces: list[ChunkDraft] = []
    start = 0
    for ordinal, text in enumerate(texts):
        sha = hashlib.sha256(text.encode()).hexdigest()
        pieces.append(ChunkDraft(ordinal, start, start + len(text), text, "", "", "", 5, sha))
        start += len(text)
    return Unit(((replace(document, **changes), tuple(pieces)),))  # type: ignore[arg-type] - fields by name


@pytest.fixture(scope="module")
def crowd(migrated: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Garage]:
    empty(migrated)
    embedder = WordEmbedder()
    with Readers(ReadingSettings()) as readers:
        garage = Garage(
            migrated,
            readers,
            ReadingSettings(),
            (embedder,),
            OpsSettings(),
            SteppingClock(),
            later=at_once,
        )
        backfill.register(garage)
        root: Path = tmp_path_factory.mktemp("crowd")
        for slug in ("crowd", "rare"):
            sources.add(garage, OWNER, SourceRequest(slug, str(root)))
        for number in range(CROWD):
            texts = [f"{QUERY} {QUERY} n{number}x{each} " for each in range(EACH)]
            store(garage, "crowd", draft("crowd", number, texts))
        ada = Author("Ada Exämple", "email:ada@example.org")
        worse = [
            f"gauge {' '.join(f'w{each}x{word}' for word in range(3 + each))} "
            for each in range(WANTED)
        ]
        store(
            garage,
            "rare",
            draft(
                "rare", 0, worse, corpus_class="code", trust="received", mime="application/pdf",
                mtime=OLD, authors=(ada,),
            ),
        )  # fmt: skip
        more = replace(garage.settings.maintenance, embed_batch=1_000)
        quick = replace(garage, settings=replace(garage.settings, maintenance=more))
        backfill.fill(quick, Stop())
        yield garage


def store(garage: Garage, source: str, unit: Unit) -> None:
    now = garage.clock.now()
    activity = Activity(new_uid(), now, "tester", "ingest")
    documents.replace(garage.graph, [unit], Writing(source, "run", activity, now))


FILTERS = {
    "source": Filter(sources=("rare",)),
    "class": Filter(classes=("code",)),
    "trust": Filter(trusts=("received",)),
    "author by name": Filter(authors=("ada exa\u0308mple",)),
    "author by address": Filter(authors=("Ada@example.org",)),
    "author by identity": Filter(authors=("email:ada@example.org",)),
    "mime": Filter(mimes=("application/pdf",)),
    "kind of mime": Filter(mimes=("application",)),
    "until": Filter(until=NEW),
    "since and until": Filter(since=OLD, until=datetime(2020, 3, 2, tzinfo=UTC)),
    "several": Filter(sources=("rare", "crowd"), classes=("code",), mimes=("application/pdf",)),
}


def ask(garage: Garage, wanted: Filter, limit: int = 100) -> SearchResult:
    request = SearchRequest(QUERY, limit=limit, wanted=wanted, explain=True)
    return search.search(garage, OWNER, request)


def nearest(garage: Garage, source: str) -> list[tuple[str, float]]:
    """Return every chunk of a source with its cosine, by brute force."""
    query = garage.embedders[0].embed_query(QUERY)
    found = rows(
        garage.graph,
        "MATCH (c:Chunk {source: $source}) RETURN c.uid AS uid, c.vec_words AS vector",
        source=source,
    )
    scored = [(str(r["uid"]), float(query @ np.array(r["vector"], np.float32))) for r in found]
    return sorted(scored, key=lambda pair: -pair[1])


@pytest.mark.req("SEA-2")
@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_everything_that_it_lets_through_in_every_lane(
    crowd: Garage, name: str
) -> None:
    found = ask(crowd, FILTERS[name])
    exact = dict(nearest(crowd, "rare"))
    assert {hit.chunk_uid for hit in found.hits} == exact.keys()
    assert {hit.source for hit in found.hits} == {"rare"}
    for hit in found.hits:
        scores = {lane.lane: lane for lane in hit.lanes}
        assert {"vector:words", "fulltext"} <= scores.keys()
        vector = scores["vector:words"]
        assert vector.score == pytest.approx(exact[hit.chunk_uid], abs=0.02)
        better = sum(score > exact[hit.chunk_uid] + 0.02 for score in exact.values())
        assert vector.rank > better


@pytest.mark.req("SEA-2")
def test_without_a_filter_the_crowd_hides_what_is_rare(crowd: Garage) -> None:
    assert {hit.source for hit in ask(crowd, Filter()).hits} == {"crowd"}


@pytest.mark.req("SEA-2")
@pytest.mark.parametrize("wanted", [Filter(until=NEW), Filter(since=NEW), Filter(since=OLD)])
def test_a_filter_that_lets_much_through_loses_nothing_either(
    crowd: Garage, monkeypatch: pytest.MonkeyPatch, wanted: Filter
) -> None:
    monkeypatch.setattr(lanes, "FEW_CHUNKS", 20)
    source = "rare" if wanted.until else "crowd"
    exact = nearest(crowd, source)
    found = ask(crowd, wanted)
    assert len(found.hits) == min(100, len(exact))
    assert {hit.source for hit in found.hits} == {source}
    worst = exact[: len(found.hits)][-1][1]
    scores = dict(exact)
    assert all(scores[hit.chunk_uid] >= worst - 0.02 for hit in found.hits)


@pytest.mark.req("SEA-2")
def test_a_filter_never_changes_the_order_of_full_text(crowd: Garage) -> None:
    query = "gauge w7x1 n3x7 n4x9"
    every = lanes.by_text(crowd.graph, query, EVERYWHERE, 5_000)
    both = Filter(
        sources=("crowd", "rare"), classes=("code", "document"), trusts=("authored", "received")
    )
    filtered = lanes.by_text(crowd.graph, query, Scope(both), 5_000)
    assert len(every) == WANTED + 2 or len(every) == WANTED + CROWD * EACH
    assert [(each.uid, round(each.score, 4)) for each in filtered] == [
        (each.uid, round(each.score, 4)) for each in every
    ]
