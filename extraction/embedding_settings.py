"""Settings of embedding. `api.settings` fills them; defaults here are the shipped ones."""

import re
from dataclasses import dataclass
from typing import Annotated, Final

from annotated_types import Interval, MinLen

from graphstore.limits import Matching

MODELS: Final = ("bge-small-en-v1.5", "all-MiniLM-L6-v2")
"""The built-in models, by name; `extraction.providers.builtin` has the rest of them."""
OLLAMA: Final = "ollama/"
"""Before the name of a model of an Ollama server."""
OLLAMA_NAME: Final = "[A-Za-z0-9][A-Za-z0-9._/-]{0,79}(?::[A-Za-z0-9._-]{1,79})?"
"""Pattern of that name, with its tag."""
_NAME: Final = "|".join([*map(re.escape, MODELS), OLLAMA + OLLAMA_NAME])
_NAMES: Final = f"one of {', '.join(MODELS)}, ollama/NAME"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which models turn text into vectors, and how much of the machine they take."""

    models: Annotated[tuple[Annotated[str, Matching(_NAME, _NAMES)], ...], MinLen(1)] = (
        "bge-small-en-v1.5",
    )
    """Names of the embedding models, built-in ones or `ollama/NAME`; the first counts tokens."""
    threads: Annotated[int, Interval(ge=1, le=256)] = 1
    """Processor threads of each built-in model."""
    ollama_host: str = "http://127.0.0.1:11434"
    """Address of your Ollama server; it must be on this machine."""
