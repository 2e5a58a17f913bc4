"""Freezing: a process is stopped where it is, and goes on later as if nothing had been."""

import signal
from collections.abc import Generator
from contextlib import contextmanager

import psutil

from graphstore.settings import Connection


def server_of(connection: Connection) -> psutil.Process:
    """Return the process that listens where a connection leads."""
    port = int(connection.uri.rpartition(":")[2])
    for each in psutil.net_connections("tcp"):
        if each.laddr and each.laddr.port == port and each.status == psutil.CONN_LISTEN:
            return psutil.Process(each.pid)
    message = f"nothing listens at {connection.uri}"
    raise LookupError(message)


class Freezer:
    """Stops a process when told to; it goes on at the end of the block, whatever happened."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.was_frozen = False

    def freeze(self) -> None:
        self.was_frozen = True
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def freezer(process: psutil.Process) -> Generator[Freezer]:
    made = Freezer(process)
    try:
        yield made
    finally:
        made.thaw()
