"""A Neo4j that is too old, as far as its first words go: it speaks Bolt and tells its version."""

import socket
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, Final

_HELLO, _LOGON, _RUN, _PULL = 0x01, 0x6A, 0x10, 0x3F
_SUCCESS, _RECORD = 0x70, 0x71
_BOLT_5_4: Final = b"\x00\x00\x04\x05"


def packed(value: Any) -> bytes:
    """Pack strings, lists and maps, all of them short."""
    if isinstance(value, str):
        data = value.encode()
        return struct.pack(">BB", 0xD0, len(data)) + data
    if isinstance(value, dict):
        pairs = b"".join(packed(key) + packed(item) for key, item in value.items())
        return bytes([0xA0 + len(value)]) + pairs
    return bytes([0x90 + len(value)]) + b"".join(packed(item) for item in value)


def _message(signature: int, field: Any) -> bytes:
    body = bytes([0xB1, signature]) + packed(field)
    return struct.pack(">H", len(body)) + body + b"\x00\x00"


def _converse(client: socket.socket, version: str) -> None:
    answers = {
        _HELLO: _message(_SUCCESS, {"server": f"Neo4j/{version}", "connection_id": "bolt-1"}),
        _LOGON: _message(_SUCCESS, {}),
        _RUN: _message(_SUCCESS, {"fields": ["name", "versions", "edition"]}),
        _PULL: _message(_RECORD, ["Neo4j Kernel", [version], "community"])
        + _message(_SUCCESS, {"type": "r"}),
    }
    stream = client.makefile("rb")
    # A client may hang up at any word, so every word may fail.
    with client, stream, suppress(OSError):
        stream.read(20)
        client.sendall(_BOLT_5_4)
        while head := stream.read(2):
            body = stream.read(struct.unpack(">H", head)[0])
            stream.read(2)
            if body[1] not in answers:
                return
            client.sendall(answers[body[1]])


@contextmanager
def serving(version: str) -> Generator[int]:
    """Serve until the block ends; the value is the port."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def serve() -> None:
        while not over.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            client.settimeout(10)
            threads.append(threading.Thread(target=_converse, args=(client, version)))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            thread.join()
            for each in threads:
                each.join(15)
