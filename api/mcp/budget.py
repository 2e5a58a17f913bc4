"""Budget: how much a reply may hold. Pure.

A model reads about one token for three bytes of UTF-8 at worst. Structured content and text go
out together, so they share 8,000 tokens.
"""

import json
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

STRUCTURED_BYTES: Final = 17_000
TEXT_BYTES: Final = 6_500
_LEAST_TEXT: Final = 240

T = TypeVar("T")


def cut(text: str, most_bytes: int) -> str:
    """Return the beginning of a text that is at most so many bytes as JSON writes it."""
    shown = text[:most_bytes]
    while (size := written(shown)) > most_bytes:
        shown = shown[: min(len(shown) - 1, len(shown) * most_bytes // size)]
    return shown


def written(text: str) -> int:
    """Return the bytes of a text within JSON: a quote takes two, a control character six."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def share(count: int, overhead: int, most_bytes: int = STRUCTURED_BYTES) -> int:
    """Return how many bytes of text each of `count` items may have, besides `overhead`."""
    return max(_LEAST_TEXT, most_bytes // max(count, 1) - overhead)


def fitting(items: Sequence[T], size: Callable[[T], int], most_bytes: int) -> tuple[T, ...]:
    """Return the first items that fit together; always the first one."""
    total = 0
    kept: list[T] = []
    for item in items:
        total += size(item)
        if kept and total > most_bytes:
            break
        kept.append(item)
    return tuple(kept)
