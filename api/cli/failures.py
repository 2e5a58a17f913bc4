"""Failures: how an error is told, and the exit code that it ends with."""

import json
import sys
import traceback
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from graphstore.errors import GarageError

FAILURE: Final = 1
INTERRUPTED: Final = 130
EXIT_CODES: Final[Mapping[str, int]] = {
    "FAILED": FAILURE,
    "CONFLICT": FAILURE,
    "TOO_LARGE": FAILURE,
    "INVALID_INPUT": 2,
    "NOT_FOUND": 3,
    "UNAVAILABLE": 4,
    "REFUSED": 5,
}
LEGEND: Final = (
    "Exit codes: 0 ok · 1 failure · 2 usage · 3 not found · 4 service unreachable · "
    "5 refused by policy · 130 interrupted."
)


def tell(code: str, message: str, hint: str, *, as_json: bool) -> int:
    """Tell an error to the person, or to the program that asked for JSON; return its exit code."""
    from api.cli.output import print_json, say

    if as_json:
        print_json({"error": {"code": code, "message": message, "hint": hint}})
    else:
        say(f"Error: {message}" + (f"\n{hint}" if hint else ""))
    return EXIT_CODES.get(code, FAILURE)


def tell_error(error: GarageError, *, as_json: bool) -> int:
    """Tell an error that was raised on purpose."""
    return tell(error.code, error.message, error.hint, as_json=as_json)


def tell_defect(error: Exception, folder: Path, *, as_json: bool) -> int:
    """Tell an error that nobody foresaw; the whole of it goes to a log under an id."""
    identity = uuid.uuid4().hex[:12]
    log = folder / "logs" / "cli.log"
    entry = json.dumps({"id": identity, "trace": traceback.format_exception(error)})
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        log.touch(mode=0o600)
        with log.open("a", encoding="utf-8") as file:
            file.write(entry + "\n")
        where = f"{log} has the whole of it under the id {identity}."
    except OSError:
        traceback.print_exception(error, file=sys.stderr)
        where = ""
    return tell("FAILED", f"Unexpected: {type(error).__name__}.", where, as_json=as_json)
