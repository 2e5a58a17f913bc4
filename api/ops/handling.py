"""Handling: what works one kind of job. It reads a text and says what is to be written of it.

A handler runs with no transaction open and may take its time; it looks at its stop between its
steps. What it returns is written in the transaction that ends the job, or not at all.
"""

from dataclasses import dataclass
from typing import Protocol

from api.ops.stopping import Stop
from graphstore.claims import Effect
from graphstore.reading import ChunkText, Document


@dataclass(frozen=True, slots=True)
class Subject:
    """What a job is about: a document, and what it says."""

    document: Document
    text: str
    pieces: tuple[ChunkText, ...]
    """Its chunks in order; joined they are the text."""


class Handler(Protocol):
    """Works one kind of job."""

    @property
    def kind(self) -> str:
        """The kind of job."""
        ...

    @property
    def is_model(self) -> bool:
        """Whether it asks a language model; where that is away, all who ask it rest."""
        ...

    def run(self, subject: Subject, stop: Stop) -> Effect:
        """Return what writes the result.

        Raises:
            Unavailable: what it needs is away; the job waits, and no attempt is counted.
            Cancelled: it was stopped; the job is given back.
            GarageError: it could not be done; it is tried again, a few times.
        """
        ...
