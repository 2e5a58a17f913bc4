"""Torn: a transaction log whose end a full disk tore off, and how its database opens again.

Neo4j appends as much of a transaction as the disk takes and ends the database. When it is then
stopped in order, on a disk with room again, it appends the rest behind a gap, and reads none of it
at the next start. What stands behind the last readable transaction was never acknowledged: Neo4j
is told to cut it off, once, and the logs as they were are kept beside it.
"""

import shutil
from pathlib import Path
from typing import Final

from graphstore.server.causes import DEBUG, TORN

CUT_OFF: Final = {"internal.dbms.tx_log.fail_on_corrupted_log_files": "false"}
"""The key of neo4j.conf that has Neo4j cut it off; for one start only."""
KEPT: Final = "torn"
"""Where the logs are kept as they were, below the home of the server; the last ones only."""
_BROKEN_OFF: Final = (b"Database panic", b"No space left on device")
_LOOK: Final = 16 * 2**20


def is_mendable(home: Path, debug: str) -> bool:
    """Say whether a start failed for a torn log, and a full disk or a panic had been before.

    Without such a sign the log may be damaged in its middle, and cutting would lose what follows.
    """
    return bool(TORN.search(debug)) and any(_tells(each) for each in _debug_logs(home))


def keep(home: Path) -> Path:
    """Copy the logs aside as they are, in the place of those of an earlier time."""
    kept = home / KEPT
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(home / "data" / "transactions", kept)
    return kept


def _debug_logs(home: Path) -> list[Path]:
    return sorted((home / "logs").glob(f"{DEBUG}*"))


def _tells(log: Path) -> bool:
    """Say whether a log has one of the signs in its last part."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _LOOK))
            text = file.read()
    except OSError:
        return False
    return any(sign in text for sign in _BROKEN_OFF)
