"""Settings of reading. `api.settings` fills them; defaults here are the shipped ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """How much is read of one file, how long it may take, and who the owner is."""

    max_file_bytes: int = 64 * 1024 * 1024
    """Bytes of a file; a larger one is not read and its outcome is `too_large`."""
    max_mailbox_bytes: int = 512 * 1024 * 1024
    """Bytes of an mbox file; it is held in memory while it is read."""
    max_text_characters: int = 20_000_000
    """Characters of text of a document; more and its outcome is `too_large`."""
    parse_timeout_s: float = 60.0
    """Seconds that a PDF, office file, web page, notebook or message may take to be parsed."""
    parse_memory_mb: int = 2048
    """Address space of the parsing process, MiB, where the system honours it."""
    max_attachments: int = 100
    """Attachments of one message that are read; further ones are not."""
    git_timeout_s: float = 120.0
    """Seconds that one reading of a Git history may take; what came until then is used."""
    self_identities: tuple[str, ...] = ()
    """Your e-mail addresses: what they wrote is marked as yours and trusted as authored."""
    self_names: tuple[str, ...] = ()
    """Your names as documents state them; they count only where no address is stated."""
