"""Suggestions: what a shell offers when somebody presses Tab at a value."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import typer

from api.cli.session import session_of
from graphstore.errors import GarageError
from graphstore.privacy import CLASSES, TRUST_TIERS


def among(*values: str) -> Callable[[str], list[str]]:
    """Return what offers those of some values that begin as typed."""

    def offered(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return offered


classes: Final = among(*CLASSES)
trusts: Final = among(*TRUST_TIERS)
hit_kinds: Final = among("chunk", "fact", "memory", "summary")
source_kinds: Final = among("filesystem", "git", "maildir", "mbox", "inbox", "memory")
outcomes: Final = among("stored", "skipped", "too_large", "failed", "removed")
memory_kinds: Final = among(
    *("fact", "preference", "decision", "note", "insight", "thought", "qa", "lesson", "todo")
)
memory_states: Final = among("active", "archived", "superseded", "resolved", "dismissed")
origins: Final = among("user", "agent", "dream", "file")
text_kinds: Final = among("note", "conversation", "clipping", "decision", "reference")
job_states: Final = among("queued", "waiting", "running", "failed", "done")
distillings: Final = among("queue", "now", "none")


def sources(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the names of the sources; none while no service runs, as Tab starts nothing."""
    from api.client import find

    session = session_of(context)
    found: Any = []
    with suppress(GarageError):
        if find(session.data) is not None:
            found = session.run("sources")
    return [each["slug"] for each in found if each["slug"].startswith(incomplete)]


def settings(incomplete: str) -> list[str]:
    """Offer the names of the settings."""
    from api.settings import kinds

    return [name for name in kinds() if name.startswith(incomplete)]
