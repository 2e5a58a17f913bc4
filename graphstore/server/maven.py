"""What this machine's own Maven set-up says: which repository to ask, which jars are here already.

Nothing here opens a connection, and another program's cache is only read.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from jgo.config import GlobalSettings

_CENTRAL: Final = frozenset({"central", "*", "external:*"})


def remote_repositories(configured: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the repositories to ask before jgo's default one; the first that is set wins.

    Garage's setting, a mirror of Maven Central in `~/.m2/settings.xml`, jgo's own config file.
    A mirror replaces Central, so it takes its name; jgo's entries are further repositories.
    """
    if configured:
        return {"central": configured.rstrip("/")}
    mirror = _mirror_of_central(_settings(environment))
    if mirror:
        return {"central": mirror.rstrip("/")}
    return {name: url.rstrip("/") for name, url in GlobalSettings.load().repositories.items()}


def local_caches(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the Maven caches of this machine that exist, the most specific first."""
    declared = _settings(environment).findtext("{*}localRepository") or ""
    named = (environment.get("M2_REPO", ""), "" if "${" in declared else declared.strip())
    caches = [Path(name) for name in named if name]
    caches.append(_home(environment) / ".m2" / "repository")
    return tuple(cache for cache in dict.fromkeys(caches) if cache.is_dir())


def _home(environment: Mapping[str, str]) -> Path:
    named = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(named) if named else Path.home()


def _settings(environment: Mapping[str, str]) -> ET.Element:
    """Return the owner's Maven settings; empty ones when there are none or they cannot be read."""
    try:
        # S314: the owner's own file, which their own Maven trusts as well.
        return ET.parse(_home(environment) / ".m2" / "settings.xml").getroot()  # noqa: S314
    except (OSError, ET.ParseError):
        return ET.Element("settings")


def _mirror_of_central(settings: ET.Element) -> str | None:
    for mirror in settings.iterfind("{*}mirrors/{*}mirror"):
        of = {name.strip() for name in (mirror.findtext("{*}mirrorOf") or "").split(",")}
        url = (mirror.findtext("{*}url") or "").strip()
        # Maven's ${…} variables are Maven's business: such a mirror is left to Garage's setting.
        if url and "${" not in url and of & _CENTRAL and "!central" not in of:
            return url
    return None
