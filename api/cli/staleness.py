"""Staleness: a running service keeps the settings that it started with, and a person is told."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from api import folders, settings_fingerprint
from graphstore.errors import InvalidInput

if TYPE_CHECKING:
    from api.client import Service

RESTART = "'garage stop', then any command starts it with the new ones."
_MOST_NAMED = 4


def differing(
    service: "Service", environment: Mapping[str, str], config: str | None
) -> tuple[str, ...]:
    """Return the settings that would be others, were the service started now.

    Raises:
        InvalidInput: the settings are broken by now.
    """
    file = folders.config_file(environment, config)
    if service.settings_source in {"", settings_fingerprint.source(file, environment)}:
        return ()
    from api import settings  # pydantic: only who needs the values pays for it

    values = settings.flat(settings.load(config, environment).settings)
    mine = settings_fingerprint.digests(values)
    return tuple(key for key, digest in mine.items() if service.settings.get(key) != digest)


def warning(service: "Service", environment: Mapping[str, str], config: str | None) -> str:
    """Return what to tell a person about the service's settings; empty when they are the same."""
    try:
        keys = differing(service, environment, config)
    except InvalidInput as error:
        return f"The service runs with the settings of its start; by now: {error}"
    if not keys:
        return ""
    since = datetime.fromtimestamp(service.started_at).strftime("%Y-%m-%d %H:%M")
    named = ", ".join(keys[:_MOST_NAMED]) + (" …" if keys[_MOST_NAMED:] else "")
    return f"The service runs with other settings since {since} ({named}): {RESTART}"
