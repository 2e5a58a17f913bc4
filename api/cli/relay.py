"""The stdio relay: copies JSON-RPC messages between an assistant and the service's `/mcp/local`.

Standard output carries messages and nothing else. A request that the assistant cancels is ended at
the service by closing its stream. A service that went away is found or started again.
"""

import http.client
import json
import os
import socket
import sys
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, cast

from api.cli import envelope
from api.client import Place, Service, attach, connect, events
from graphstore.errors import GarageError, Unavailable

_PATH: Final = "/mcp/local"
_TIMEOUT_S: Final = 300.0
_DRAIN_S: Final = 30.0
"""How long requests in flight may take after the assistant closed its end."""
_WATCH_S: Final = 2.0
_INTERNAL: Final = -32603
_INVALID_REQUEST: Final = -32600
_PARSE_ERROR: Final = -32700

Message = dict[str, Any]


def relay(place: Place, source: BinaryIO, sink: BinaryIO) -> None:
    """Copy messages until `source` ends, then finish what is in flight.

    `sink` is standard output, which nothing else reaches from here on.
    """
    sink = _apart(sink)
    watcher = threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True)
    watcher.start()
    Relay(place, sink).run(source)


@dataclass(slots=True)
class _Call:
    """A message under way."""

    body: bytes
    message: Message
    wire: Any = None
    """Kept here, because the connection lets go of it once a response has begun."""
    is_cancelled: bool = False
    is_answered: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def key(self) -> str:
        """The request's id as it was written: 1 is not "1"."""
        return json.dumps(self.message.get("id"))

    @property
    def is_request(self) -> bool:
        return "method" in self.message and "id" in self.message

    def open(self, service: Service) -> http.client.HTTPConnection:
        """Return a connection of this call's own, which `cancel` can close."""
        with self.lock:
            connection = connect(service, _TIMEOUT_S)
            if not self.is_cancelled:
                connection.connect()
                self.wire = connection.sock
            return connection

    def cancel(self) -> None:
        """Close the stream, wherever the call is."""
        with self.lock:
            self.is_cancelled = True
            if self.wire is not None:
                # shutdown wakes the thread that reads; close alone would not.
                with suppress(OSError):
                    self.wire.shutdown(socket.SHUT_RDWR)


class Relay:
    """One assistant's connection to the service."""

    def __init__(self, place: Place, sink: BinaryIO) -> None:
        self._place = place
        self._sink = sink
        self._writing = threading.Lock()
        self._attaching = threading.Lock()
        self._service: Service | None = None
        self._calls_lock = threading.Lock()
        self._calls: dict[str, _Call] = {}
        self._identity = envelope.Identity()

    def run(self, source: BinaryIO) -> None:
        """Copy messages until `source` ends, then finish what is in flight."""
        threads = [threading.Thread(target=self._warm_up, daemon=True)]
        threads[0].start()
        for line in source:
            if not line.strip():
                continue
            threads = [thread for thread in threads if thread.is_alive()]
            if (call := self._taken(line)) is not None:
                thread = threading.Thread(target=self._carry, args=(call,), daemon=True)
                thread.start()
                threads.append(thread)
        for thread in threads[:]:
            thread.join(_DRAIN_S)

    def _taken(self, line: bytes) -> _Call | None:
        """Return what is to be sent on, after taking in what the relay must know of it."""
        try:
            content: Any = json.loads(line)
        except (ValueError, RecursionError):
            self._fail(None, _PARSE_ERROR, "This line is no JSON.")
            return None
        if (reason := envelope.why_no_message(content)) is not None:
            self._fail(envelope.identity_of(content), _INVALID_REQUEST, reason)
            return None
        message = cast("Message", content)
        if message.get("method") == "notifications/cancelled":
            self._cancel(message)
            return None
        self._identity = self._identity.after_request(message)
        call = _Call(line.strip(), message)
        if call.is_request:
            with self._calls_lock:
                self._calls[call.key] = call
        return call

    def _cancel(self, message: Message) -> None:
        params: Any = message.get("params")
        key = json.dumps(params.get("requestId")) if isinstance(params, dict) else ""
        with self._calls_lock:
            call = self._calls.get(key)
        if call is not None:
            call.cancel()

    def _carry(self, call: _Call) -> None:
        """Send one message and write what comes back."""
        try:
            self._exchange(call)
            reason = "The service ended the stream before it answered."
        except GarageError as error:
            reason = str(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = f"The service went away ({type(error).__name__}). Try again."
        finally:
            with self._calls_lock:
                self._calls.pop(call.key, None)
        if call.is_request and not call.is_answered and not call.is_cancelled:
            self._fail(call.message["id"], _INTERNAL, reason)

    def _exchange(self, call: _Call) -> None:
        service = self._attached()
        try:
            connection = call.open(service)
        except OSError:
            # Nothing was sent yet, so it is safe to look for another service and begin again.
            service = self._attached(gone=service)
            connection = call.open(service)
        with closing(connection):
            if call.is_cancelled:
                return
            response = self._posted(call, service, connection)
            if response.status != http.client.UNAUTHORIZED:
                self._copy(call, response)
                return
        # A refusal of the token: the service is another by now, and this one did nothing.
        service = self._attached(gone=service)
        with closing(call.open(service)) as connection:
            self._copy(call, self._posted(call, service, connection))

    def _posted(
        self, call: _Call, service: Service, connection: http.client.HTTPConnection
    ) -> http.client.HTTPResponse:
        headers = {
            "Authorization": f"Bearer {service.token('relay')}",
            **self._identity.headers(call.message),
        }
        connection.request("POST", _PATH, call.body, headers)
        return connection.getresponse()

    def _copy(self, call: _Call, response: http.client.HTTPResponse) -> None:
        """Write the messages of a response, be it one or a stream."""
        if (response.headers.get("content-type") or "").startswith("text/event-stream"):
            for name, data in events(response):
                if name == "message" and data:
                    self._answer(call, data.encode())
            return
        body = response.read()
        if (response.headers.get("content-type") or "").startswith("application/json"):
            self._answer(call, body)
        elif response.status >= http.client.BAD_REQUEST:
            raise Unavailable(f"The service refused the message ({response.status}).")

    def _answer(self, call: _Call, data: bytes) -> None:
        message: Any = json.loads(data)
        if isinstance(message, dict) and "method" not in message and call.is_request:
            answer = cast("Message", message)
            # A refusal before the message was understood has no id; the assistant waits for one.
            answer["id"] = call.message["id"]
            call.is_answered = True
            self._identity = self._identity.after_answer(call.message, answer)
        self._write(message)

    def _fail(self, identity: Any, code: int, reason: str) -> None:
        self._write({"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": reason}})

    def _write(self, message: Any) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        # An assistant that has gone does not read; that its end closed is told by `source`.
        with self._writing, suppress(BrokenPipeError):
            self._sink.write(line)
            self._sink.flush()

    def _warm_up(self) -> None:
        """Start the service while the assistant still gets ready."""
        with suppress(GarageError):
            self._attached()

    def _attached(self, gone: Service | None = None) -> Service:
        """Return the service; another one when `gone` is no longer it."""
        with self._attaching:
            if self._service is None or self._service == gone:
                self._service = attach(self._place)
            return self._service


def _apart(output: BinaryIO) -> BinaryIO:
    """Return `output` under another number; what still writes to the old one is not heard.

    That is every print, and every library that writes without Python: they go to standard error.
    """
    number = output.fileno()
    output.flush()
    kept = os.fdopen(os.dup(number), "wb")
    try:
        os.dup2(2, number)
    except OSError:  # there is no standard error
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.stdout = sys.stderr
    return kept


def _watch_parent(parent: int) -> None:
    """End this process when the assistant that started it has died without closing its end."""
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(_WATCH_S)
    os._exit(0)
