"""The canary: a token that no other text holds; where it is found, a text has been."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path


def token(name: str) -> str:
    """Return the token of a document, the same in each run."""
    return "canary" + hashlib.sha256(name.encode()).hexdigest()[:16]


def sightings(tokens: Iterable[str], places: Mapping[str, bytes | str | Path]) -> list[str]:
    """Return where a token is: `place: token`. A folder is looked through, file by file."""
    wanted = list(tokens)
    found: list[str] = []
    for name, place in places.items():
        for where, content in _contents(name, place):
            found += [f"{where}: {each}" for each in wanted if each.encode() in content]
    return found


def _contents(name: str, place: bytes | str | Path) -> Iterable[tuple[str, bytes]]:
    if isinstance(place, bytes | bytearray):
        return [(name, bytes(place))]
    if isinstance(place, str):
        return [(name, place.encode())]
    files = [place] if place.is_file() else [each for each in place.rglob("*") if each.is_file()]
    return [(f"{name}/{file.name}", file.read_bytes()) for file in files]
