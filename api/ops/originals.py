"""Originals: the files that documents were read from, as they are on disk now.

Only a regular file is ever named that is reached from the root of the document's own source without
leaving it by a link.
"""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from api.ops.garage import Garage
from extraction import maildir
from extraction.names import on_disk
from graphstore import reading, sources
from graphstore.errors import NotFound
from graphstore.reading import Document
from graphstore.records import Source


@dataclass(frozen=True, slots=True)
class Original:
    """The file of a document. It may hold other documents, too."""

    document: Document
    file: Path | None
    """None when it is not where it was read: moved, renamed or removed since."""

    @property
    def name(self) -> str:
        """What to call it elsewhere."""
        return PurePosixPath(self.document.path).name


@dataclass(frozen=True, slots=True)
class Handout:
    """A file to hand out."""

    file: Path
    name: str


def of(garage: Garage, document: Document) -> Original:
    """Return the file that a document was read from.

    Raises:
        NotFound: its source is gone by now.
    """
    return Original(document, _file(sources.get(garage.graph, document.source), document.path))


def opened(garage: Garage, reference: str) -> Handout:
    """Return the file of a document, to be handed out.

    Raises:
        NotFound: there is no such document, or its file is not where it was read.
        Conflict: several sources hold a document at this path.
    """
    found = of(garage, reading.find(garage.graph, reference))
    if found.file is None:
        message = f"The file of '{found.document.uri}' is not where it was read."
        raise NotFound(message, hint="It was moved, renamed or removed; 'garage ingest' looks.")
    return Handout(found.file, found.name)


def _file(source: Source, path: str) -> Path | None:
    """Return the file that a walk of this source named so, if it is there and inside."""
    root = Path(source.root)
    try:
        file = _named(root, source, on_disk(path))
        is_inside = file is not None and file.resolve().is_relative_to(root.resolve())
        return file if file is not None and is_inside and file.is_file() else None
    except (OSError, ValueError):
        return None


def _named(root: Path, source: Source, path: str) -> Path | None:
    if source.kind == "maildir":
        return maildir.find(root, path)
    return root if source.kind == "mbox" and root.is_file() else root / path
