"""The client: how it finds the service, and what it says when there is none."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.cli import stored
from api.client import Client, Place, attach, find, starting
from api.serve.lifetime import only_one
from graphstore.errors import InvalidInput, NotFound, Unavailable
from tests.stand_in import standing_in


def dead_record(data: Path, pid: int) -> None:
    data.mkdir(parents=True, exist_ok=True)
    record = {"pid": pid, "started_at": 0, "port": 1, "token_file": "none", "version": "0"}
    (data / "service.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.mark.req("RUN-7")
def test_a_live_service_is_found_and_a_dead_one_is_not(tmp_path: Path) -> None:
    assert find(tmp_path / "none") is None
    with standing_in(tmp_path / "data"):
        found = find(tmp_path / "data")
        assert found is not None
    # The record is still there and its process lives, but nothing listens any more.
    assert find(tmp_path / "data") is None


@pytest.mark.req("RUN-7")
@pytest.mark.parametrize("content", ["", "[]", "{", '{"pid": "x"}', '{"pid": 1}'])
def test_a_broken_record_is_no_service(content: str, tmp_path: Path) -> None:
    (tmp_path / "service.json").write_text(content, encoding="utf-8")
    assert find(tmp_path) is None


@pytest.mark.req("RUN-7")
def test_why_a_service_did_not_start_is_told_as_the_error_that_it_was(tmp_path: Path) -> None:
    broken = tmp_path / "garage.json"
    broken.write_text("{", encoding="utf-8")
    place = Place(tmp_path / "data", {"HOME": str(tmp_path)}, broken)
    with pytest.raises(InvalidInput) as raised:
        attach(place)
    assert "did not start" in raised.value.message
    assert "garage.json:1" in raised.value.message
    log = tmp_path / "data" / "logs" / "service.log"
    assert "garage.json:1" in log.read_text(encoding="utf-8")


@pytest.mark.req("RUN-7")
@pytest.mark.campaign("C61")
def test_a_client_that_was_second_waits_for_the_service_that_is_still_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "_GRACE_S", 0.0)
    log = tmp_path / "logs" / "service.log"
    with only_one(tmp_path), ThreadPoolExecutor(1) as pool:
        found = pool.submit(attach, Place(tmp_path, {"HOME": str(tmp_path)}))
        deadline = time.monotonic() + 60
        while not (log.exists() and "belongs to" in log.read_text(encoding="utf-8")):
            assert time.monotonic() < deadline
            threading.Event().wait(0.02)
        with standing_in(tmp_path) as first:
            assert found.result(60).token("owner") == "the-owner"
            assert first.data == tmp_path


@pytest.mark.req("RUN-7")
def test_a_live_process_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setattr(starting, "START_TIMEOUT_S", 0.2)
    monkeypatch.setattr(starting, "_GRACE_S", 0.0)
    monkeypatch.setattr(sys, "executable", "/bin/true")
    dead_record(tmp_path, os.getpid())
    with pytest.raises(Unavailable) as raised:
        attach(Place(tmp_path, {}))
    assert f"pid {os.getpid()}" in raised.value.message
    assert "garage stop" in raised.value.hint


@pytest.mark.req("GQL-1")
def test_a_problem_comes_back_as_the_error_that_it_was(tmp_path: Path) -> None:
    with standing_in(tmp_path) as service:
        client = Client(Place(tmp_path, {}))
        problem = {"code": "NOT_FOUND", "message": "There is none.", "hint": "Look elsewhere."}
        service.answers["Stats"] = {"stats": problem}
        with pytest.raises(NotFound) as raised:
            client.run(stored.operation("stats"), {})
        assert raised.value.hint == "Look elsewhere."
        with pytest.raises(InvalidInput):
            client.run(stored.operation("search"), {"query": "q", "limit": "many"})


@pytest.mark.req("GQL-1")
def test_a_subscription_yields_its_events_and_ends(tmp_path: Path) -> None:
    with standing_in(tmp_path):
        client = Client(Place(tmp_path, {}))
        events = list(client.follow(stored.operation("ingest_progress"), {"run": "r"}))
    assert [event["ingestProgress"]["__typename"] for event in events] == ["IngestRun"]
