"""Amounts: how many of something, as one says it. Pure."""


def amount(count: int, one: str, many: str = "") -> str:
    """Return `1 chunk` or `1,200 chunks`; `many` where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
