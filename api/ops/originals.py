"""Originals: the files that documents were read from, as they are on disk now.

Only a regular file below the root of the document's own source is ever named.
"""

from dataclasses import dataclass
from pathlib import Path

from api.ops.garage import Garage
from graphstore import reading, sources
from graphstore.errors import NotFound
from graphstore.reading import Document


@dataclass(frozen=True, slots=True)
class Original:
    """A file on disk."""

    document: Document
    file: Path
    is_there: bool
    """Whether it is a file that may be handed out; it may have gone since it was read."""


def find(garage: Garage, reference: str) -> Original:
    """Return the file that a document was read from. It may hold other documents, too.

    Raises:
        NotFound: there is no such document.
    """
    document = reading.find(garage.graph, reference)
    return of(garage, document)


def of(garage: Garage, document: Document) -> Original:
    """Return the file that this document was read from.

    Raises:
        NotFound: its source is gone by now.
    """
    source = sources.get(garage.graph, document.source)
    root = Path(source.root)
    file = root if source.kind == "mbox" else root / document.path
    return Original(document, file, _is_below(root, file))


def opened(garage: Garage, reference: str) -> Original:
    """Return the file of a document that is there to be handed out.

    Raises:
        NotFound: there is no such document, or its file is not there any more.
    """
    found = find(garage, reference)
    if not found.is_there:
        message = f"The file of '{found.document.uri}' is not where it was read."
        raise NotFound(message, hint="It was moved, renamed or removed; 'garage ingest' looks.")
    return found


def _is_below(root: Path, file: Path) -> bool:
    """Say whether a file is a regular one, reached from the root without leaving it by a link."""
    try:
        return file.is_file() and file.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError):
        return False
