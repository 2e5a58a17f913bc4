"""Stopping a service that does not want to: a real process that holds the folder."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from api.cli import stopping
from api.cli.session import Session
from api.serve import lifetime

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

_HOLD = """
import signal, sys, time
from pathlib import Path
from api.serve import lifetime
if sys.argv[2] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
folder = Path(sys.argv[1])
with lifetime.only_one(folder):
    lifetime.write(folder, lifetime.recorded(1, folder / "service.token", "0"))
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def _holding(folder: Path, how: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(folder), how])
    _until(lambda: lifetime.read(folder) is not None)
    return process


def _until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def holder(folder: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    with _holding(folder, request.param) as process:
        yield process
        process.kill()


@pytest.mark.req("RUN-7")
@pytest.mark.campaign("C60")
@pytest.mark.parametrize("holder", ["deaf"], indirect=True)
def test_one_that_does_not_end_when_asked_is_killed_and_said_so(
    holder: "subprocess.Popen[bytes]",
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(stopping, "_ASKED_S", 0.5)
    session = Session({"GARAGE_DATA": str(folder), "HOME": str(folder)})
    assert stopping.stop_service(session) == holder.pid
    assert holder.wait(30) == -signal.SIGKILL
    assert f"(pid {holder.pid}) does not end" in capsys.readouterr().err
    assert stopping.stop_service(session) is None


@pytest.mark.req("RUN-7")
@pytest.mark.campaign("C60")
@pytest.mark.parametrize("holder", ["willing"], indirect=True)
def test_one_that_is_frozen_is_woken_and_ends_when_asked(
    holder: "subprocess.Popen[bytes]", folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holder.send_signal(signal.SIGSTOP)
    _until(lambda: psutil.Process(holder.pid).status() == psutil.STATUS_STOPPED)
    session = Session({"GARAGE_DATA": str(folder), "HOME": str(folder)})
    assert stopping.stop_service(session) == holder.pid
    assert holder.wait(30) == -signal.SIGTERM
    assert f"(pid {holder.pid}) is frozen" in capsys.readouterr().err
