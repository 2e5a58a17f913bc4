"""Assets: files of the pages. Ours lie beside this module, others in locked jars; none elsewhere.

A jar is opened when its file is first asked for, and the file is kept.
"""

import threading
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from graphstore.errors import NotFound, Unavailable
from graphstore.server import jars

_SCRIPT: Final = "text/javascript; charset=utf-8"
_STYLE: Final = "text/css; charset=utf-8"

OWN: Final = {
    "explorer.js": _SCRIPT,
    "explorer.css": _STYLE,
    "chrome.css": _STYLE,
    "pages.css": _STYLE,
    "counting.js": _SCRIPT,
}
"""Our own files: name → media type."""

LOCKED: Final = {
    "graphiql.min.js": ("graphiql", "graphiql.min.js", _SCRIPT),
    "graphiql.min.css": ("graphiql", "graphiql.min.css", _STYLE),
    "react.js": ("react", "umd/react.production.min.js", _SCRIPT),
    "react-dom.js": ("react-dom", "umd/react-dom.production.min.js", _SCRIPT),
}
"""Files out of jars: name → artifact, file within it, media type."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is served."""

    content: bytes
    media_type: str


class Assets:
    """The files of the pages. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that holds the jars of the lock's part `web`."""
        self._folder = folder
        self._lock = threading.Lock()
        self._kept: dict[str, Asset] = {}

    def read(self, name: str) -> Asset:
        """Return a file.

        Raises:
            NotFound: there is none of this name.
            Unavailable: the jar that holds it is not there.
        """
        with self._lock:
            if name not in self._kept:
                self._kept[name] = self._load(name)
            return self._kept[name]

    def _load(self, name: str) -> Asset:
        if name in OWN:
            return Asset(own(name), OWN[name])
        if name not in LOCKED:
            raise NotFound("There is no such file.")
        artifact, member, media_type = LOCKED[name]
        jar = next(jar for jar in jars.locked("web") if jar.artifact == artifact)
        inside = f"META-INF/resources/webjars/{artifact}/{jar.version}/{member}"
        try:
            return Asset(jars.read_member(self._folder / jar.name, inside), media_type)
        except OSError as error:
            message = f"{jar.name} is not there."
            raise Unavailable(message, hint="'garage serve' fetches it when it starts.") from error


def own(name: str) -> bytes:
    """Return one of our own files."""
    return resources.files("api.serve").joinpath("static", name).read_bytes()
