"""Logs: files of bounded size that never stand in the way of what they tell of.

What a full disk does not take is dropped without a word: the next line that fits is written.
"""

import logging
import logging.handlers
import sys
from contextlib import suppress
from typing import Final

ENCODING: Final = "utf-8"


class BoundedLog(logging.handlers.RotatingFileHandler):
    """A rotating log file whose failures to write are nobody's business."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop a record that the disk does not take; other faults are told as ever."""
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)

    def close(self) -> None:
        """Close the file, whatever of it could not be written."""
        with suppress(OSError):
            super().close()
