"""Room: nothing is written below the floor, and what is told of it."""

import logging
from pathlib import Path

import pytest

from graphstore.errors import OutOfSpace, StoreUnavailable
from graphstore.logs import BoundedLog
from graphstore.room import MIB, Room
from graphstore.server import causes, torn

_PANIC = '{"level":"ERROR","message":"Database panic: The database has encountered a critical"}\n'
_TORN = (
    '{"level":"WARN","stacktrace":"Caused by: Failure to read transaction log file number 0. '
    'Unreadable bytes are encountered after last readable position."}\n'
)
_FULL = '{"level":"ERROR","stacktrace":"java.io.IOException: No space left on device"}\n'
_OPTIONS = '{"level":"INFO","message":"JVM: -XX:+ExitOnOutOfMemoryError"}\n'
_FAILED = '{"level":"ERROR","message":"Failed to start DatabaseId{0[neo4j]}"}\n'


@pytest.mark.campaign("C62")
@pytest.mark.req("SRC-8")
def test_writing_needs_the_floor_and_starting_needs_less(tmp_path: Path) -> None:
    free = Room(tmp_path, 0).free
    Room(tmp_path, 0).require()
    Room(tmp_path, 0).require_to_start()
    short = Room(tmp_path / "not" / "made", free * 2)
    with pytest.raises(OutOfSpace) as refused:
        short.require()
    assert f"{2 * free // MIB} MiB are needed" in refused.value.message
    assert str(short.folder) in refused.value.message
    assert "Free some space" in refused.value.hint
    assert isinstance(refused.value, StoreUnavailable)
    short.require_to_start()


@pytest.mark.campaign("C62")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_log_on_a_full_disk_drops_its_lines_without_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = BoundedLog("/dev/full", maxBytes=100, backupCount=1, encoding="utf-8")
    for number in range(10_000):
        log.handle(logging.LogRecord("x", logging.INFO, "", 0, f"line {number}", None, None))
    log.close()
    assert capsys.readouterr() == ("", "")
    faulty = logging.LogRecord("x", logging.INFO, "", 0, "%d", ("no number",), None)
    log = BoundedLog("/dev/full", encoding="utf-8")
    log.handle(faulty)
    log.close()
    assert "Logging error" in capsys.readouterr().err


@pytest.mark.campaign("C62")
@pytest.mark.parametrize(
    ("before", "since", "is_mendable"),
    [
        (_PANIC, _FAILED + _TORN, True),
        (_FULL, _FAILED + _TORN, True),
        (_OPTIONS, _FAILED + _TORN, False),
        (_PANIC, _FAILED, False),
    ],
)
def test_a_torn_log_is_cut_only_after_a_sign_of_what_tore_it(
    tmp_path: Path, before: str, since: str, is_mendable: bool
) -> None:
    (tmp_path / "logs").mkdir()
    debug = tmp_path / "logs" / "debug.log"
    debug.write_text(before)
    size = causes.debug_size(tmp_path)
    debug.write_text(before + _OPTIONS + since)
    said = causes.debug_since(tmp_path, size)
    assert said == since
    assert torn.is_mendable(tmp_path, said) is is_mendable


@pytest.mark.campaign("C62")
@pytest.mark.req("RUN-2")
def test_a_start_that_comes_to_nothing_is_recognised_and_told_from_the_debug_log(
    tmp_path: Path,
) -> None:
    assert not causes.is_hopeless('{"level":"INFO","message":"Starting database"}')
    assert causes.is_hopeless(_FAILED)
    error = causes.of_silence(tmp_path, _FAILED + _FULL)
    assert isinstance(error, OutOfSpace)
    assert "the disk is full" in error.message
    assert str(tmp_path / "logs" / "debug.log") in error.hint
    assert "transaction log" in causes.of_silence(tmp_path, _FAILED + _TORN).message
    assert "does not start" in causes.of_silence(tmp_path, _FAILED).message


@pytest.mark.campaign("C62")
def test_a_log_that_was_rotated_meanwhile_is_read_from_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "debug.log").write_text(_FAILED)
    assert causes.debug_since(tmp_path, 10_000) == _FAILED
    assert causes.debug_since(tmp_path / "none", 0) == ""


@pytest.mark.campaign("C62")
def test_the_logs_are_kept_as_they_were_the_last_ones_only(tmp_path: Path) -> None:
    logs = tmp_path / "data" / "transactions" / "neo4j"
    logs.mkdir(parents=True)
    for content in (b"first", b"second"):
        (logs / "neostore.transaction.db.0").write_bytes(content)
        kept = torn.keep(tmp_path)
    assert [each.read_bytes() for each in kept.rglob("*.0")] == [b"second"]
