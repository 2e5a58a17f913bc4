"""The service of a data folder, from the lock on the folder to the last word in its log.

What is imported here, a start needs at once: Neo4j starts before the rest, which takes a second.
"""

import logging
import os
import socket
import sys
from pathlib import Path
from typing import Final

from api import own_folder, settings_check
from api.serve import head_start, lifetime
from api.serve.head_start import Serving
from graphstore.errors import InvalidInput, Refused
from graphstore.logs import BoundedLog

_LOG_BYTES: Final = 5 * 1024 * 1024


def serve(serving: Serving) -> None:
    """Run the service of the data folder until it is told to stop.

    Raises:
        Conflict: another service has the folder; the message names its pid.
        InvalidInput: the port of the settings is taken, or the folder cannot hold data.
        Refused: others on this machine may read a password, or the folder is somebody else's.
    """
    folder = serving.loaded.data_folder
    # Everything here is for the owner alone, whoever made the folder first.
    os.umask(0o077)
    _make_private(folder)
    settings_check.refuse_exposed(serving.loaded)
    _log_to(folder, serving.is_background)
    with (
        lifetime.only_one(folder),
        _listening(serving, folder) as listener,
        head_start.begun(serving) as begun,
    ):
        from api.serve.running import Service

        Service(serving, listener, begun).run()


def _make_private(folder: Path) -> None:
    """Make the folder, and close it to others, whoever opened it, and to sources around it."""
    own_folder.require_usable(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder.chmod(0o700)
    except PermissionError as error:
        message = f"{folder} belongs to another user, who could read your graph."
        raise Refused(message, hint="Choose another folder: GARAGE_DATA or data.folder.") from error
    own_folder.keep_out(folder)


def _listening(serving: Serving, folder: Path) -> socket.socket:
    """Return a listening socket: the port of the settings, the last one, or any; on loopback."""
    address = serving.loaded.settings.service.bind
    wanted = serving.loaded.settings.service.port
    last = lifetime.read(folder)
    choices = [wanted] if wanted else [*([last.port] if last else []), 0]
    for port in choices:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError:
            listener.close()
            continue
        return listener
    message = f"Port {wanted} is taken by another program."
    raise InvalidInput(message, hint="Set service.port to another one, or to 0.")


def _log_to(folder: Path, is_background: bool) -> None:
    """Send the log to a bounded file, and to standard error in the foreground."""
    (folder / "logs").mkdir(mode=0o700, exist_ok=True)
    file = BoundedLog(
        folder / "logs" / "service.log", maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8"
    )
    handlers: list[logging.Handler] = [file]
    if not is_background:
        handlers.append(logging.StreamHandler(sys.stderr))
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=handlers
    )
    for noisy in ("neo4j", "mcp", "uvicorn.error", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
