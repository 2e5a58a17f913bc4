"""Settings of reading. `api.settings` fills them; defaults here are the shipped ones."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """How much is read of one file, how long it may take, and who the owner is."""

    max_file_bytes: Annotated[int, Interval(ge=1, le=1_099_511_627_776)] = 64 * 1024 * 1024
    """Bytes of a file; a larger one is not read and its outcome is `too_large`."""
    max_mailbox_bytes: Annotated[int, Interval(ge=1, le=1_099_511_627_776)] = 512 * 1024 * 1024
    """Bytes of an mbox file; it is held in memory while it is read."""
    max_text_characters: Annotated[int, Interval(ge=1, le=1_000_000_000)] = 20_000_000
    """Characters of text of a document; more and its outcome is `too_large`."""
    parse_timeout_s: Annotated[float, Interval(ge=0.1, le=86_400)] = 60.0
    """Seconds that a PDF, office file, web page, notebook or message may take to be parsed."""
    parse_memory_mb: Annotated[int, Interval(ge=64, le=1_048_576)] = 2048
    """Address space of the parsing process, MiB, where the system honours it."""
    max_attachments: Annotated[int, Interval(ge=0, le=100_000)] = 100
    """Attachments of one message that are read; further ones are not."""
    git_timeout_s: Annotated[float, Interval(ge=0.1, le=86_400)] = 120.0
    """Seconds that one reading of a Git history may take; what came until then is used."""
    self_identities: tuple[str, ...] = ()
    """Your e-mail addresses: what they wrote is marked as yours and trusted as authored."""
    self_names: tuple[str, ...] = ()
    """Your names as documents state them; they count only where no address is stated."""
