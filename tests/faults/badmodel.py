"""A bad model: a real HTTP server that speaks Ollama's protocol, well or as its script says.

It records every byte that it is sent, so that a canary can be looked for in them.
"""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal

Behaviour = Literal[
    "well",
    "hang",
    "500",
    "429",
    "400",
    "missing",
    "redirect",
    "truncated",
    "endless",
    "drip",
    "not_json",
    "deep",
    "wrong_count",
    "strings",
    "wrong_dims",
    "nan",
    "inf",
    "huge",
    "empty",
    "zero",
]
DIMENSIONS: Final = 32
DIGEST: Final = hashlib.sha256(b"the first weights").hexdigest()
OTHER_DIGEST: Final = hashlib.sha256(b"other weights").hexdigest()


def vector(text: str) -> list[float]:
    """Return a vector in which texts that share words are near each other."""
    numbers = [0.001] * DIMENSIONS
    for word in text.lower().split():
        numbers[int(hashlib.sha256(word.encode()).hexdigest(), 16) % DIMENSIONS] += 1.0
    return numbers


_SPOILED: Final[dict[str, str]] = {
    "wrong_dims": json.dumps([0.1] * (DIMENSIONS + 1)),
    "strings": json.dumps(["0.1"] * DIMENSIONS),
    "nan": "[" + ", ".join(["NaN"] * DIMENSIONS) + "]",
    "inf": "[" + ", ".join(["1e999"] * DIMENSIONS) + "]",
    "huge": "[" + ", ".join(["1" + "0" * 400] * DIMENSIONS) + "]",
    "empty": "[]",
    "zero": json.dumps([0.0] * DIMENSIONS),
}
"""Vectors that must never be stored, as JSON."""


@dataclass
class BadModel:
    """How the server behaves, and what it was sent."""

    name: str = "gauge"
    behaviour: Behaviour = "well"
    """Of every request for vectors; with `only`, of those whose text holds it."""
    only: str = ""
    digest: str = DIGEST
    retry_after: str = "30"
    port: int = 0
    sent: bytearray = field(default_factory=bytearray)
    asked: list[str] = field(default_factory=list)
    """Every text that a vector was asked of."""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def behaves(self, texts: list[str]) -> Behaviour:
        is_meant = not self.only or any(self.only in text for text in texts)
        return self.behaviour if is_meant else "well"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: BadModel

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._record(b"")
        if self.path != "/api/tags":
            self._say(404, "{}")
        elif self.model.behaviour == "hang" and not self.model.only:
            self.model.over.wait(120)
        elif self.model.behaviour == "missing":
            self._say(200, '{"models": []}')
        else:
            name = f"{self.model.name}:latest"
            listed = {"name": name, "model": name, "digest": self.model.digest}
            self._say(200, json.dumps({"models": [listed]}))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._record(body)
        texts = json.loads(body)["input"]
        self.model.asked += texts
        behaviour = self.model.behaves(texts)
        answer = getattr(self, f"_{behaviour}", None)
        if answer:
            answer()
            return
        rows = [
            _SPOILED.get(self.model.behaves([text])) or json.dumps(vector(text)) for text in texts
        ]
        if behaviour == "wrong_count":
            rows.append(rows[0])
        self._say(200, f'{{"embeddings": [{", ".join(rows)}]}}')

    def _hang(self) -> None:
        self.model.over.wait(120)

    def _500(self) -> None:
        self._say(500, json.dumps({"error": "the text was: " + self.model.asked[-1]}))

    def _429(self) -> None:
        self._say(429, "{}", {"Retry-After": self.model.retry_after})

    def _400(self) -> None:
        self._say(400, json.dumps({"error": "the input is too long"}))

    def _missing(self) -> None:
        self._say(404, json.dumps({"error": "model not found, try pulling it first"}))

    def _redirect(self) -> None:
        self._say(307, "", {"Location": "http://198.51.100.7/api/embed"})

    def _not_json(self) -> None:
        self._say(200, "<html>A proxy says hello.</html>")

    def _deep(self) -> None:
        self._say(200, "[" * 100_000)

    def _truncated(self) -> None:
        self._head(200, {"Content-Length": "1000"})
        self.wfile.write(b'{"embeddings": [[0.1, 0.2')
        self.close_connection = True

    def _endless(self) -> None:
        self._head(200, {"Connection": "close"})
        self.close_connection = True
        piece = b"0.1, " * 10_000
        while not self.model.over.is_set():
            try:
                self.wfile.write(piece)
            except OSError:
                return

    def _drip(self) -> None:
        self._head(200, {"Connection": "close"})
        self.close_connection = True
        while not self.model.over.wait(0.1):
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                return

    def _record(self, body: bytes) -> None:
        self.model.sent += f"{self.requestline}\n{self.headers}\n".encode() + body

    def _say(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        body = text.encode()
        self._head(status, {"Content-Length": str(len(body)), **(headers or {})})
        self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


@contextmanager
def serving(model: BadModel) -> Generator[BadModel]:
    """Serve until the block ends; on the port that the model had before, if it had one."""
    handler = type("Handler", (_Handler,), {"model": model})
    model.over.clear()
    server = ThreadingHTTPServer(("127.0.0.1", model.port), handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield model
    finally:
        model.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
