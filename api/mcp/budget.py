"""Budget: how much a reply may hold. Pure.

A model reads about one token for three bytes of UTF-8 at worst. Structured content and text go
out together, so they share 8,000 tokens.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

STRUCTURED_BYTES: Final = 17_000
TEXT_BYTES: Final = 6_500
_LEAST_TEXT: Final = 240

T = TypeVar("T")


def cut(text: str, most_bytes: int) -> str:
    """Return the beginning of a text that is at most so many bytes of UTF-8, whole characters."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most_bytes else data[:most_bytes].decode("utf-8", "ignore")


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
