"""Arguments: what callers say, described once, and turned into requests of the operations."""

from datetime import UTC, datetime
from typing import Annotated, Final

import strawberry

from api.graphql import ids

arg: Final = strawberry.argument

SourceName = Annotated[str | None, arg("Only of this source; null = of all.")]
Reference = Annotated[str, arg("A document: its id, uid, uri (source:path) or path.")]
MemoryId = Annotated[strawberry.ID, arg("The memory's id or uid; a hit's `memoryId`.")]
Strings = tuple[str, ...]


def moment(value: datetime | None) -> datetime | None:
    """Return a moment with its zone; one without is UTC."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def document_key(text: str) -> str:
    """Return what names a document in the graph; an id of the schema becomes the uid in it."""
    return ids.key_of("Document", text)


def memory_key(text: str) -> str:
    """Return the uid of a memory; an id of the schema becomes the uid in it."""
    return ids.key_of("Memory", str(text))
