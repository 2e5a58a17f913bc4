"""Facts read in a process of its own: a parser keeps the processor and memory of the service free.

The process starts with its first passage and stands behind everything else that the machine does.
"""

import importlib
import os
from collections.abc import Sequence
from concurrent.futures import CancelledError
from functools import cache
from typing import Final, cast

from pebble import ProcessExpired

from extraction.child import Child
from extraction.errors import NotExtracted
from extraction.facts.base import RULES, Extractor
from extraction.facts.parsing import LANGUAGES
from extraction.facts.records import About, FactDraft, Passage
from graphstore.errors import Cancelled, GarageError

_PASSAGE_S: Final = 300.0
"""Most seconds for one passage: a long one takes half a second, the parser's own start three; but
on a machine that has much else to do, this process comes last."""
_NICE: Final = 10
_RULES: Final = "extraction.facts.rules"


class ApartExtractor:
    """The rules, in a process of their own. Safe to share between threads; close it at the end."""

    def __init__(self) -> None:
        self.name: Final = RULES
        self.languages: Final = LANGUAGES
        self._child = Child(_begin)

    def __enter__(self) -> "ApartExtractor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        """Return what the passage states, in its order.

        Raises:
            Unavailable: the parser is missing or another version.
            NotExtracted: the process was ended at a limit, or died of the passage.
            Cancelled: `close` was called meanwhile.
        """
        try:
            found, error = self._child.call(_facts, (passage, about), _PASSAGE_S)
        except CancelledError:
            raise Cancelled("Reading facts was stopped.", hint="The job is given back.") from None
        if error is None:
            return cast("Sequence[FactDraft]", found)
        if isinstance(error, GarageError):
            raise error
        raise NotExtracted(_why(error)) from None

    def close(self) -> None:
        """End the process, and what it is reading. A later passage starts another one."""
        self._child.close()


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"it took longer than {_PASSAGE_S:g} s"
    if isinstance(error, ProcessExpired):
        return "the process that reads facts died of it"
    # The type only: a message may hold text of the document.
    return f"the rules failed ({type(error).__name__})"


def _begin() -> None:
    os.nice(_NICE)


def _facts(passage: Passage, about: About) -> tuple[FactDraft, ...]:
    return tuple(_rules().facts(passage, about))


@cache
def _rules() -> Extractor:
    # Imported in the reading process only: what it needs is large, and kept out of the service.
    return cast("Extractor", importlib.import_module(_RULES).RuleExtractor())
