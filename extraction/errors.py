"""Errors of reading and extraction.

    GarageError (graphstore.errors)
    ├── ReadRefused       one file is not read; its state and reason are its outcome
    ├── NotExtracted      the facts of one document could not be read; it is tried again
    └── Unavailable
        ├── BadReply      a provider answered what is no answer
        └── ProviderBusy  a provider asks to be left alone for a while

A reason is one sentence without text of the file: it is stored and shown.
"""

import errno
from typing import Final

from graphstore.errors import GarageError, Unavailable
from graphstore.records import OutcomeState

_REASONS: Final = {
    errno.ENOENT: "gone: it vanished between the walk and the reading",
    errno.EACCES: "no permission to read it",
    errno.EPERM: "no permission to read it",
    errno.ELOOP: "a symbolic link took its place after the walk",
    errno.ENAMETOOLONG: "its path is longer than the system allows",
    errno.ENXIO: "not a regular file",
}


class ReadRefused(GarageError):
    """One file is not read. The run goes on; state and reason become the file's outcome."""

    code = "READ_REFUSED"

    def __init__(self, state: OutcomeState, reason: str, *, may_pass: bool = False) -> None:
        super().__init__(reason)
        self.state: OutcomeState = state
        self.reason = reason
        self.may_pass = may_pass
        """The reason lies outside of the file, as in a busy machine: trying again is worth it."""

    def __reduce__(self) -> tuple[object, tuple[OutcomeState, str, bool]]:
        # It crosses the border of the parsing process, so it must survive a pickle.
        return _refused, (self.state, self.reason, self.may_pass)


def _refused(state: OutcomeState, reason: str, may_pass: bool) -> ReadRefused:
    return ReadRefused(state, reason, may_pass=may_pass)


class NotExtracted(GarageError):
    """The facts of a document could not be read."""

    code = "NOT_EXTRACTED"

    def __init__(self, why: str) -> None:
        super().__init__(f"The facts of a passage were not read: {why}.")
        self.why = why

    def __reduce__(self) -> tuple[type["NotExtracted"], tuple[str]]:
        return NotExtracted, (self.why,)


class BadReply(Unavailable):
    """A provider answered what is no answer; the message says what, without the reply's text."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The model's server gave {what}.", hint="Look at the server's log.")


class ProviderBusy(Unavailable):
    """A provider asks to be left alone for a while."""

    def __init__(self, name: str, retry_after_s: float) -> None:
        wait = f", in {retry_after_s:g} s" if retry_after_s else ""
        super().__init__(f"{name} is busy.", hint=f"It is asked again by itself{wait}.")
        self.retry_after_s = retry_after_s


def reason_of(error: OSError) -> str:
    """Return why the system refused, without the file's absolute path."""
    return _REASONS.get(error.errno or 0) or f"the system refused: {error.strerror}"
