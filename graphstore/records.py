"""Records: what goes down into the graph and what comes back. All frozen.

Text offsets are Unicode code points. Sizes are bytes unless named otherwise.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

SourceKind = Literal["filesystem", "git", "maildir", "mbox", "inbox", "memory", "kept"]
Standing = Literal["added", "declared", "undeclared", "kept", "removing"]
"""Added by hand; declared in garage.json; declared once and no longer; holding what was kept."""
KEPT: Final = "kept"
"""The source of documents whose own source was removed. It is searched and never read."""
STORE: Final = "memory://"
"""Root of a store: a memory source that is written to and never read."""
DROPS: Final = "inbox://"
"""Root of the inbox of texts that were handed over: it is written to and never read."""
OutcomeState = Literal["stored", "unchanged", "skipped", "too_large", "failed", "removed"]
Form = Literal["markdown", "text", "code"]


@dataclass(frozen=True, slots=True)
class Source:
    """A place that documents come from."""

    slug: str
    kind: SourceKind
    root: str
    default_class: str
    default_trust: str
    created_at: datetime
    documents: int = 0
    chunks: int = 0
    standing: Standing = "added"
    ignore: tuple[str, ...] = ()
    """Further gitignore patterns for the walk."""
    patterns: tuple[str, ...] = ()
    """Files of a folder of memories, beside the well-known ones; `!` in front takes away."""
    tags: tuple[str, ...] = ()
    """Tags of every memory file."""

    @property
    def declared(self) -> bool:
        """Whether garage.json declares it."""
        return self.standing == "declared"

    @property
    def automatic(self) -> bool:
        """Whether it is read without being named."""
        return self.standing in {"added", "declared"} and not self.is_store

    @property
    def is_store(self) -> bool:
        """Whether it is filled by writing to it, so that there is nothing to read."""
        return self.root in {STORE, DROPS}


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a text, as the text itself says."""

    name: str
    identity: str | None = None
    """`email:…`, `url:…` or `handle:…`, casefolded; None when only a name is known."""
    is_self: bool = False


@dataclass(frozen=True, slots=True)
class Mail:
    """The headers that place a message in its thread. Ids without angle brackets."""

    message_id: str
    in_reply_to: str | None
    references: tuple[str, ...] = ()
    recipients: tuple[Author, ...] = ()

    @property
    def thread_key(self) -> str:
        """Return the id of the thread's first message, as far as the headers tell."""
        return (self.references[0] if self.references else self.in_reply_to) or self.message_id


@dataclass(frozen=True, slots=True)
class Wanted:
    """A job that a text asks for."""

    uid: str
    kind: str
    rank: int
    """Its place in the queue."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as read from a source, before it has chunks or a node."""

    uri: str
    """`<slug>:<path>`; a part of a file is `<slug>:<path>#<part>`; `inbox://<sha256>`."""
    path: str
    """The file within its source, POSIX style; several drafts may share one."""
    title: str
    text: str
    form: Form
    mime: str
    language: str
    """ISO 639-1 code of prose (`und` when unsure), or the name of a programming language."""
    corpus_class: str
    trust: str
    content_sha256: str
    """Of the text, hex."""
    bytes: int
    mtime: datetime
    """When the content was last changed, as the source tells: a message's date, a file's mtime."""
    authors: tuple[Author, ...] = ()
    mail: Mail | None = None
    attachment_of: str | None = None
    """The uri of the message that this document was attached to."""
    uid: str = ""
    """Of its node, when that was chosen before; empty = made when it is stored."""
    labels: tuple[str, ...] = ()
    """Tags and subjects: full text finds every chunk by them, and they are never embedded."""
    is_memory_file: bool = False
    """Whether its file is a memory; its tags are the `labels`."""
    jobs: tuple[Wanted, ...] = ()
    """What is to be made of it later."""


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A piece of a draft. `text[start:end]` of the draft, in order, without gap or overlap."""

    ordinal: int
    start: int
    end: int
    text: str
    context: str
    """Title, headings, sender: embedded and indexed with the text, never part of it."""
    heading: str
    """The path of headings above the chunk, joined by ` › `."""
    identifiers: str
    """Split code identifiers (`getUserName` → `get user name`), for full text."""
    tokens: int
    content_sha256: str
    """Of context, a zero byte and text, hex: equal hash = equal vector."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file in one source."""

    path: str
    state: OutcomeState
    reason: str = ""
    """Empty when stored; else why, in one sentence, without text of the file."""
    stat: str = ""
    """Size, times, reader and limits: equal = the file need not be opened."""
    file_sha256: str = ""
    documents: int = 0
    chunks: int = 0
    retries: int = 0
    """Further runs in which a file that failed is read again, though it is unchanged."""
