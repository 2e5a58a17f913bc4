"""A proxy before Neo4j's Bolt port that loses replies to commits.

What a client sends is passed on untouched. From the n-th commit on, as many as asked for, it does
one of: `cut` (the commit is passed on, its reply is not, the connection ends), `swallow` (the same,
but the connection stays open and silent), `drop` (the commit itself is not passed on, the
connection ends), `delay` (the reply waits until `release` is set).
"""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Literal

Fault = Literal["none", "cut", "swallow", "drop", "delay"]

_COMMIT: Final = b"\x00\x02\xb0\x12\x00\x00"
"""A chunk that holds the message COMMIT, and the end of the message."""


@dataclass
class LossyProxy:
    """What the proxy does, and what it did."""

    to_port: int
    fault: Fault = "none"
    is_meant: Callable[[int], bool] = lambda _: True
    """Says of the number of a commit, from 1 on, whether the fault befalls it."""
    port: int = 0
    """Where it listens; 0 = anywhere."""
    connections: int = 0
    commits: int = 0
    befallen: int = 0
    release: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    turn: threading.Lock = field(default_factory=threading.Lock)

    def judged(self, data: bytes) -> Fault:
        """Return what befalls what a client sent just now."""
        if _COMMIT not in data:
            return "none"
        with self.turn:
            self.commits += 1
            if self.fault == "none" or not self.is_meant(self.commits):
                return "none"
            self.befallen += 1
            return self.fault


@contextmanager
def between(proxy: LossyProxy) -> Generator[LossyProxy]:
    """Listen until the block ends."""
    with socket.create_server(("127.0.0.1", proxy.port)) as listener:
        listener.settimeout(0.05)
        proxy.port = listener.getsockname()[1]
        thread = threading.Thread(target=_serve, args=(proxy, listener))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.over.set()
            proxy.release.set()
            thread.join()


def _serve(proxy: LossyProxy, listener: socket.socket) -> None:
    opened: list[socket.socket] = []
    threads: list[threading.Thread] = []
    while not proxy.over.is_set():
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        proxy.connections += 1
        client.settimeout(None)
        try:
            server = socket.create_connection(("127.0.0.1", proxy.to_port), 5)
        except OSError:
            client.close()
            continue
        server.settimeout(None)
        line = _Line(proxy, client, server)
        opened += [client, server]
        for run in (line.upwards, line.downwards):
            threads.append(threading.Thread(target=run, daemon=True))
            threads[-1].start()
    for each in opened:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join(10)
    for each in opened:
        each.close()


class _Line:
    """One connection of a client, passed on to the server."""

    def __init__(self, proxy: LossyProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._fault: Fault = "none"

    def upwards(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(65536):
                self._fault = self._proxy.judged(data)
                if self._fault == "drop":
                    break
                self._server.sendall(data)
        self._end()

    def downwards(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(65536):
                if self._fault == "cut":
                    break
                if self._fault == "swallow":
                    continue
                if self._fault == "delay":
                    self._proxy.release.wait(120)
                self._client.sendall(data)
        self._end()

    def _end(self) -> None:
        for each in (self._client, self._server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
