"""What the tests of reading share: sources made in a folder, and one way through the door."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from extraction import walk
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Draft, Source, SourceKind


def source_at(
    root: Path,
    kind: SourceKind = "filesystem",
    *,
    ignore: tuple[str, ...] = (),
    corpus_class: str = "document",
    trust: str = "reference",
) -> Source:
    return Source(
        slug="notes",
        kind=kind,
        root=str(root),
        default_class=corpus_class,
        default_trust=trust,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        ignore=ignore,
    )


def found_in(
    source: Source, settings: ReadingSettings | None = None
) -> list[walk.Candidate | walk.Passed]:
    return list(walk.walk(source, settings or ReadingSettings()))


def paths_in(source: Source, settings: ReadingSettings | None = None) -> list[str]:
    return [x.path for x in found_in(source, settings) if isinstance(x, walk.Candidate)]


def units_of(readers: Readers, source: Source) -> Iterator[tuple[Draft, ...]]:
    for item in walk.walk(source, ReadingSettings()):
        if isinstance(item, walk.Candidate):
            yield from readers.read(walk.load(item), source)


def read_file(readers: Readers, root: Path, name: str, data: bytes | str) -> Draft:
    """Write a file, walk to it, and return the one document that it is."""
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    source = source_at(root)
    (candidate,) = [
        item
        for item in walk.walk(source, ReadingSettings())
        if isinstance(item, walk.Candidate) and item.path == name
    ]
    ((draft,),) = list(readers.read(walk.load(candidate), source))
    return draft
