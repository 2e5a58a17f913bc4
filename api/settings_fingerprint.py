"""Fingerprints of settings: how a command sees that a service was started with other ones.

Two, because a command must start fast: that of the sources (file and environment, as bytes) costs
nothing and says "the same" or "perhaps not"; only then the values are compared, key by key. A
secret is in neither, only whether there is one.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from api.settings_names import ALIASES, PLACES, PREFIX, SECRETS, SPECIAL, variable

_LEFT_OUT = {
    *SPECIAL,
    *(variable(key) for key in PLACES | SECRETS),
    *(name for name, key in ALIASES.items() if key in SECRETS),
}


def source(file: Path, environment: Mapping[str, str]) -> str:
    """Return the fingerprint of what settings are made from, without reading it as settings."""
    try:
        content = file.read_bytes()
    except OSError:
        content = b""
    names = [name for name in environment if name.startswith(PREFIX) or name in ALIASES]
    told = {name: environment[name] for name in sorted(names) if name not in _LEFT_OUT}
    return hashlib.sha256(content + b"\0" + json.dumps(told).encode()).hexdigest()[:16]


def digests(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a short hash of each value, by `section.key`; not of what only says which service."""
    return {
        key: _digest(bool(value) if key in SECRETS else value)
        for key, value in values.items()
        if key not in PLACES
    }


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
