"""Cutting: documents into chunks, by the windows of the models in use."""

from api.ops.garage import Garage
from extraction.chunking import ChunkLimits, split
from graphstore.records import ChunkDraft, Draft


def limits(garage: Garage) -> ChunkLimits:
    """Return how large chunks may be, and how many a document may have."""
    return ChunkLimits(
        window=min((each.window for each in garage.embedders), default=ChunkLimits().window),
        max_chunks_per_document=garage.settings.ingest.max_chunks_per_document,
    )


def cut(garage: Garage, draft: Draft) -> tuple[ChunkDraft, ...]:
    """Return the chunks of a document.

    Raises:
        TooLarge: it has more chunks than a document may have.
        InvalidInput: the text is not valid Unicode, or the window has no room for text.
    """
    return split(draft, limits(garage), garage.embedders[0].count_tokens)
