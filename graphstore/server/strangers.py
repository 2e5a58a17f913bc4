"""Strangers: what listens at an address where no Neo4j answers."""

import socket
from typing import Final
from urllib.parse import urlsplit

_ASK: Final = b"GET / HTTP/1.0\r\n\r\n"
_ANSWER_S: Final = 1.0


def is_web_server(where: str) -> bool:
    """Say whether a web server answers at `scheme://host:port`, such as Neo4j's own HTTP port."""
    try:
        place = urlsplit(where)
        port = place.port or 0
        with socket.create_connection((place.hostname or "", port), timeout=_ANSWER_S) as asking:
            asking.settimeout(_ANSWER_S)
            asking.sendall(_ASK)
            return asking.recv(5) == b"HTTP/"
    except (OSError, ValueError):
        return False
