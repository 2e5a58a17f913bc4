"""Isolation: complex formats are parsed in a child process with limits of time and memory.

Whatever a file does to its parser becomes that file's outcome; the run goes on.
"""

import importlib
import logging
import warnings
from concurrent.futures import CancelledError
from typing import Final

from pebble import ProcessExpired

from extraction.child import Child
from extraction.errors import ReadRefused
from extraction.readers.parsed import Raw
from extraction.settings import ReadingSettings
from graphstore.errors import Cancelled

_FILES_PER_PROCESS: Final = 500
"""A fresh process after so many files: parsers leak."""


class Isolation:
    """The parsing process: started by its first file, reused, replaced when a file ends it."""

    def __init__(self, settings: ReadingSettings) -> None:
        self._settings = settings
        limit_bytes = settings.parse_memory_mb * 1024 * 1024
        self._child = Child(_begin, (limit_bytes,), _FILES_PER_PROCESS)

    def call(self, module: str, raw: Raw) -> object:
        """Return what `parse(raw)` of a module returns, evaluated in the parsing process.

        The module is imported there only: parsers are large, and kept out of the service.

        Raises:
            ReadRefused: the parser refused, failed, or was ended at a limit.
            Cancelled: `close` was called meanwhile.
        """
        timeout_s = self._settings.parse_timeout_s
        try:
            parsed, error = self._child.call(_parse, (module, raw), timeout_s)
        except CancelledError:
            raise Cancelled("Reading was stopped.", hint="Run it again; it resumes.") from None
        if error is None:
            return parsed
        raise self._refusal(error) from None

    def close(self) -> None:
        """End the parsing process, and what it is parsing."""
        self._child.close()

    def _refusal(self, error: BaseException) -> ReadRefused:
        if isinstance(error, ReadRefused):
            return error
        if isinstance(error, TimeoutError):
            limit = f"{self._settings.parse_timeout_s:g} s (parse_timeout_s)"
            return ReadRefused("failed", f"it was not parsed within {limit}", may_pass=True)
        if isinstance(error, MemoryError):
            limit = f"{self._settings.parse_memory_mb} MiB (parse_memory_mb)"
            reason = f"parsing it takes more memory than {limit}"
            return ReadRefused("failed", reason, may_pass=True)
        if isinstance(error, ProcessExpired):
            return ReadRefused("failed", "the parsing process died of it", may_pass=True)
        # The type only: a parser's message may hold text of the file.
        return ReadRefused("failed", f"damaged, or not what its name says ({type(error).__name__})")


def _parse(module: str, raw: Raw) -> object:
    parser = importlib.import_module(module)
    return parser.parse(raw)


def _begin(memory_bytes: int) -> None:
    logging.disable(logging.CRITICAL)  # parsers log what they find in a file
    warnings.simplefilter("ignore")
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ImportError, ValueError, OSError):
        return  # the time limit holds all the same
