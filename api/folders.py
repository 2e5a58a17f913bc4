"""Folders: where this machine keeps Garage's data, settings and cache. Light to import."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import platformdirs

APP: Final = "garage"


def config_file(environment: Mapping[str, str], explicit: str | None = None) -> Path:
    """Return the settings file: the one named, `GARAGE_CONFIG`, or the platform's place."""
    named = explicit or environment.get("GARAGE_CONFIG")
    if named:
        return Path(named).expanduser()
    return platformdirs.user_config_path(APP, appauthor=False) / "garage.json"


def data_folder(environment: Mapping[str, str], explicit_config: str | None = None) -> Path:
    """Return the data folder: `GARAGE_DATA`, `data.folder` of the file, or the platform's."""
    named = _folder(environment, explicit_config, "GARAGE_DATA", "folder")
    return named or platformdirs.user_data_path(APP, appauthor=False)


def cache_folder(environment: Mapping[str, str], explicit_config: str | None = None) -> Path:
    """Return the folder of what can be fetched again: jars, models."""
    named = _folder(environment, explicit_config, "GARAGE_CACHE", "cache")
    return named or platformdirs.user_cache_path(APP, appauthor=False)


def _folder(
    environment: Mapping[str, str], explicit_config: str | None, variable: str, key: str
) -> Path | None:
    named = environment.get(variable) or environment.get(f"GARAGE_DATA__{key.upper()}")
    if not named:
        # A broken file is told by api.settings, with its line; here it only has no say.
        named = _data_section(config_file(environment, explicit_config)).get(key)
    return Path(named).expanduser().absolute() if isinstance(named, str) and named else None


def _data_section(path: Path) -> dict[str, Any]:
    try:
        content: object = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    section = cast("dict[str, Any]", content).get("data") if isinstance(content, dict) else None
    return cast("dict[str, Any]", section) if isinstance(section, dict) else {}
