"""Records between a parser and the registry. They cross a process border, so they hold no state."""

from dataclasses import dataclass
from datetime import datetime

from graphstore.records import Author, Form


@dataclass(frozen=True, slots=True)
class Raw:
    """The bytes of a file, and what a parser may know of it."""

    path: str
    data: bytes
    max_characters: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser found. Empty or None where the file does not say."""

    text: str
    form: Form
    title: str = ""
    authors: tuple[Author, ...] = ()
    """As stated; whether one is the owner is decided later."""
    corpus_class: str | None = None
    language: str | None = None
    """Of a program; of prose it is found by its letters."""
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message."""

    name: str
    """As the message says: never a path."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """A message, taken apart."""

    subject: str
    body: str
    senders: tuple[Author, ...]
    recipients: tuple[Author, ...]
    message_id: str | None
    in_reply_to: str | None
    references: tuple[str, ...]
    sent_at: datetime | None
    attachments: tuple[Attachment, ...]
