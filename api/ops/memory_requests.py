"""Requests about memories: what a door asks of the operations, before it is checked."""

from dataclasses import dataclass
from datetime import datetime

from api.ops.sources import DEFAULT_STORE


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What is to be remembered. Empty or None = not said, or the default."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    source: str = DEFAULT_STORE
    corpus_class: str = ""
    """Empty = the store's class. Evidence makes it more restrictive, never less."""
    trust: str = ""
    """Empty = the store's trust; for an assistant at most `memory.agent_trust`."""
    kind: str = "note"
    importance: float | None = None
    """0 to 1; None = 0.5."""
    subjects: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """What it rests on: documents by uid or address, chunks by uid."""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What is to be changed of a memory. None = as it is; an empty list clears one."""

    text: str | None = None
    title: str | None = None
    """Empty = its first line again."""
    tags: tuple[str, ...] | None = None
    kind: str | None = None
    importance: float | None = None
    subjects: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    never_expires: bool = False
    """Take the date away."""
    expected_revision: int | None = None
    """The revision that the caller has seen: another one is a conflict."""
