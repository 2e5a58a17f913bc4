"""One owner for a data folder, whatever died before."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from graphstore.errors import Conflict, Refused
from graphstore.server import ownership
from graphstore.server.ownership import Ownership
from graphstore.server.process import ManagedServer
from graphstore.settings import ServerSettings

HOLD = """
import sys
from pathlib import Path
from graphstore.server.ownership import Ownership
claim = Ownership(Path(sys.argv[1]))
claim.claim()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holding(home: Path) -> Generator[subprocess.Popen[str]]:
    """Another process that owns the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


@pytest.mark.campaign("C61")
def test_a_second_process_is_refused_with_the_owners_pid(tmp_path: Path) -> None:
    with holding(tmp_path) as other, pytest.raises(Conflict, match=f"process {other.pid}"):
        Ownership(tmp_path).claim()


@pytest.mark.campaign("C61")
def test_a_second_manager_in_one_process_is_refused_until_the_first_gives_back(
    tmp_path: Path,
) -> None:
    first, second = Ownership(tmp_path), Ownership(tmp_path)
    first.claim()
    first.claim()
    with pytest.raises(Conflict, match=f"process {os.getpid()}"):
        second.claim()
    first.release()
    assert ownership.read(tmp_path) is None
    second.claim()
    assert second.is_held
    second.release()


@pytest.mark.campaign("C60")
def test_a_killed_owner_leaves_the_folder_free(tmp_path: Path) -> None:
    with holding(tmp_path) as other:
        other.kill()
        other.wait()
        left = ownership.read(tmp_path)
        assert left
        assert left.pid == other.pid
        claim = Ownership(tmp_path)
        claim.claim()
    mine = ownership.read(tmp_path)
    assert mine
    assert (mine.pid, mine.is_alive) == (os.getpid(), True)
    claim.release()


@pytest.mark.campaign("C60")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps({"pid": os.getpid(), "started": 1.0, "port": 1}), id="reused pid"),
        pytest.param(json.dumps({"pid": 2**22 + 1, "started": 1.0, "port": 1}), id="no such pid"),
        pytest.param('{"pid": 1, "sta', id="cut off"),
        pytest.param("[]", id="not a record"),
    ],
)
def test_a_stale_owner_file_is_mended(tmp_path: Path, content: str) -> None:
    (tmp_path / "owner.json").write_text(content)
    claim = Ownership(tmp_path)
    claim.claim()
    claim.record(7777)
    owner = ownership.read(tmp_path)
    assert owner
    assert (owner.pid, owner.port, owner.is_alive) == (os.getpid(), 7777, True)
    claim.release()


@pytest.mark.campaign("C60")
def test_an_orphaned_jvm_of_this_folder_is_ended_and_that_of_another_is_not(tmp_path: Path) -> None:
    (tmp_path / "owner.json").write_text("{}")
    sleep = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    # A process that looks like the JVM: the folder is on its command line.
    commands = [[*sleep, f"--home-dir={tmp_path}"], [*sleep, f"--home-dir={tmp_path}-other"]]
    with (
        subprocess.Popen(commands[0], stdin=subprocess.PIPE) as orphan,
        subprocess.Popen(commands[1], stdin=subprocess.PIPE) as other,
    ):
        claim = Ownership(tmp_path)
        claim.claim()
        assert not psutil.pid_exists(orphan.pid)
        assert other.poll() is None
        claim.release()
        other.kill()


@pytest.mark.campaign("C72")
@pytest.mark.parametrize("name", ["", "password"])
def test_a_folder_or_password_that_others_may_read_is_refused(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "password").touch(0o600)
    (home / name).chmod(0o750 if not name else 0o640)
    server = ManagedServer(home, tmp_path / "cache", ServerSettings(), {}, print)
    with pytest.raises(Refused, match=r"read by others.*chmod"):
        server.start()
