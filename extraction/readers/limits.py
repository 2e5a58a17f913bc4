"""Limits of a text: counted while it is gathered, so that no file is held larger than allowed."""

from collections.abc import Iterable, Iterator

from extraction.errors import ReadRefused


def bounded(pieces: Iterable[str], limit: int) -> Iterator[str]:
    """Yield pieces of text as long as they hold at most `limit` characters together.

    Raises:
        ReadRefused: they hold more; no further piece was asked for.
    """
    held = 0
    for piece in pieces:
        held += len(piece) + 1
        if held > limit:
            raise too_much(held, limit, is_all=False)
        yield piece


def gathered(blocks: Iterable[str], limit: int) -> list[str]:
    """Return blocks of text, those that are blank left out; raises as `bounded` does."""
    return [block for block in bounded(blocks, limit) if block.strip()]


def too_much(characters: int, limit: int, *, is_all: bool = True) -> ReadRefused:
    """Return the refusal of a text that is too long, with its length and the limit."""
    found = f"{'' if is_all else 'at least '}{characters:,} characters of text"
    return ReadRefused("too_large", f"{found}, over max_text_characters ({limit:,})")
