"""Causes: why Neo4j did not start, or stopped serving, as its logs and its exit code tell.

Its output says little of what befalls a database (a process that lives may serve nothing); the
debug log says it, from the first second.
"""

import re
from pathlib import Path
from typing import Final

from graphstore.errors import Conflict, GarageError, OutOfSpace, StoreUnavailable
from graphstore.server import launch

DEBUG: Final = "debug.log"
"""Neo4j's own log, below the data folder's `logs`."""
PORT_TAKEN: Final = re.compile(r"PortBindException|Address already in use")
TORN: Final = re.compile(r"Unreadable bytes (?:are encountered )?after last readable position")
"""Behind the last transaction in the log stands a piece of one that was never acknowledged.

A full disk does it: Neo4j appends what fits, ends the database, and on a clean stop appends the
rest behind a gap (docs/decisions/017).
"""
_NOT_SERVED: Final = re.compile(
    r"recovery not possible|Failed to start [Dd]atabase|DatabaseStartAbortedException"
    r"|Exception occurred while starting the (?:database|datasource)"
)
"""A database that does not start; its process stays and answers nothing."""
_COMPLAINT: Final = re.compile(r'"level":"(?:WARN|ERROR)"')
_TAIL: Final = 262_144

_CAUSES: Final[tuple[tuple[str, type[GarageError], str, str], ...]] = (
    (
        r"FileLockException|Lock file has been locked",
        Conflict,
        "another Neo4j holds the store",
        "End the other one",
    ),
    (
        r"Invalid memory configuration|OutOfMemoryError|Could not reserve enough space"
        r"|insufficient memory",
        StoreUnavailable,
        "its memory settings do not fit this machine",
        "Lower neo4j.heap_mb or neo4j.pagecache_mb",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        OutOfSpace,
        "the disk is full",
        "Free some space",
    ),
    (
        r"Unrecognized setting|declared multiple times|Error evaluating value for setting",
        StoreUnavailable,
        "it refused its configuration",
        "Run 'garage doctor'",
    ),
    (
        TORN.pattern,
        StoreUnavailable,
        "the end of its transaction log cannot be read",
        "Copy the data folder before anything else, then restore a backup",
    ),
)
"""Exit codes say little (a held lock, a bad key and a taken port are all 1): the logs say more."""
_CODES: Final = {
    1: "its server part failed",
    2: "the database failed",
    3: "its configuration or memory settings are invalid",
    4: "it found no valid licence",
}


def debug_size(home: Path) -> int:
    """Return how long the debug log is; what is written from here on belongs to the next start."""
    try:
        return (home / "logs" / DEBUG).stat().st_size
    except OSError:
        return 0


def debug_since(home: Path, size: int) -> str:
    """Return what the debug log complains of since it had that size; a rotated one, from its start.

    Only warnings and errors: among the rest are all options of the JVM, by names such as
    ExitOnOutOfMemoryError.
    """
    try:
        with (home / "logs" / DEBUG).open("rb") as file:
            end = file.seek(0, 2)
            file.seek(max(size if size <= end else 0, end - _TAIL))
            lines = file.read().decode("utf-8", errors="replace").splitlines(keepends=True)
    except OSError:
        return ""
    return "".join(line for line in lines if _COMPLAINT.search(line))


def is_hopeless(debug: str) -> bool:
    """Say whether a start that goes on will not come to an answer."""
    return bool(_NOT_SERVED.search(debug))


def of_end(code: int, home: Path, debug: str) -> GarageError:
    """Return why a process ended instead of serving."""
    log = launch.log_tail(home)
    cause = _CODES.get(code, f"its process ended with code {code}")
    return _named(log, home, launch.LOG) or _named(debug, home, DEBUG) or _unnamed(cause, home)


def of_silence(home: Path, debug: str) -> GarageError:
    """Return why a process that runs serves nothing."""
    return _named(debug, home, DEBUG) or _unnamed("its database does not start", home, DEBUG)


def see(home: Path, name: str = launch.LOG) -> str:
    """Return where to read more."""
    return f"see {home / 'logs' / name}"


def _named(log: str, home: Path, name: str) -> GarageError | None:
    for pattern, kind, cause, remedy in _CAUSES:
        if re.search(pattern, log):
            message = f"Neo4j did not start: {cause}."
            return kind(message, hint=f"{remedy}; {see(home, name)}")
    return None


def _unnamed(cause: str, home: Path, name: str = launch.LOG) -> GarageError:
    return StoreUnavailable(f"Neo4j did not start: {cause}.", hint=see(home, name))
