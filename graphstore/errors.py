"""Errors that a person or an assistant can act on.

    GarageError
    ├── NotFound          the thing named does not exist
    ├── InvalidInput      an argument is outside its limits
    ├── Conflict          the thing is in another state than the request supposes
    │   └── LeaseLost      another worker has the job by now
    ├── Refused           policy forbids it
    │   └── TooMany       a limit of rate was reached; the message says how long to wait
    ├── TooLarge          a size limit, named in the message
    └── Unavailable       a part that is needed does not answer
        ├── StoreUnavailable   Neo4j
        │   ├── OutOfSpace     the disk is full, or so nearly that nothing is written
        │   └── StoreBroken    it met an error that only a restart mends
        ├── IndexUnavailable   an index that a search needs is missing, failed or filling
        └── Cancelled          the caller, or the service's end, stopped the work

A message says what happened, to what; the hint says what to do next. Neither ever holds
document text or a secret. A message is short, however long the words that it repeats are.
"""

from typing import ClassVar, Final

MAX_MESSAGE: Final = 1_000


class GarageError(Exception):
    """The root of every error that Garage raises on purpose."""

    code: ClassVar[str] = "FAILED"

    def __init__(self, message: str, *, hint: str = "") -> None:
        shown = message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
        super().__init__(shown)
        self.message = shown
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class NotFound(GarageError):
    """The thing named does not exist."""

    code = "NOT_FOUND"


class InvalidInput(GarageError):
    """An argument is outside its limits."""

    code = "INVALID_INPUT"


class Conflict(GarageError):
    """The thing is in another state than the request supposes."""

    code = "CONFLICT"


class LeaseLost(Conflict):
    """A worker held a job for too long; it is another's by now, or gone."""


class Refused(GarageError):
    """Policy forbids it."""

    code = "REFUSED"


class TooMany(Refused):
    """A client asked more often than it may."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class TooLarge(GarageError):
    """A size limit was passed; the message names it."""

    code = "TOO_LARGE"


class Unavailable(GarageError):
    """A part that is needed does not answer."""

    code = "UNAVAILABLE"


class StoreUnavailable(Unavailable):
    """Neo4j does not answer, or answered that it cannot serve."""


class OutOfSpace(StoreUnavailable):
    """The disk is full, or so nearly that nothing is written."""


class StoreBroken(StoreUnavailable):
    """Neo4j met an error after which it takes no request until it is started again."""


class IndexUnavailable(Unavailable):
    """An index that a search needs is missing, failed, or still filling."""


class Cancelled(Unavailable):
    """The work was stopped by its caller or by the end of the service."""
