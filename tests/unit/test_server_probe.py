"""What is said about an address where no Neo4j of ours answers."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from graphstore.errors import Refused, StoreUnavailable
from graphstore.server import probe
from graphstore.settings import Connection
from tests.faults import oldbolt


@contextmanager
def listening(behave: Callable[[socket.socket], None]) -> Generator[Connection]:
    """A program on a port of loopback that behaves so to each client."""
    over = threading.Event()

    def serve() -> None:
        with ExitStack() as held:
            while not over.is_set():
                try:
                    client, _ = server.accept()
                except TimeoutError:
                    continue
                held.enter_context(client)
                # A client may hang up at any word, so every word may fail.
                with suppress(OSError):
                    behave(client)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            port = server.getsockname()[1]
            yield Connection(f"bolt://127.0.0.1:{port}", "neo4j", "not-this-secret")
        finally:
            over.set()
            thread.join()


def say(text: bytes) -> Callable[[socket.socket], None]:
    def behave(client: socket.socket) -> None:
        client.recv(64)
        client.sendall(text)
        client.shutdown(socket.SHUT_WR)

    return behave


@pytest.mark.campaign("C34")
@pytest.mark.parametrize("greeting", [b"SSH-2.0-x\r\n", b""])
def test_another_program_on_the_port_is_recognised(greeting: bytes) -> None:
    with (
        listening(say(greeting)) as connection,
        pytest.raises(StoreUnavailable, match=r"another program\?.*port") as caught,
    ):
        probe.probe(connection)
    assert connection.uri in caught.value.message
    assert "not-this-secret" not in str(caught.value)


def answer_the_web(client: socket.socket) -> None:
    """Wait for a line that a browser would send, as a web server does."""
    if client.recv(64).startswith(b"GET "):
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")


@pytest.mark.campaign("C34")
@pytest.mark.parametrize("behave", [say(b"HTTP/1.1 400 Bad Request\r\n\r\n"), answer_the_web])
def test_a_web_server_is_told_as_no_bolt_port(behave: Callable[[socket.socket], None]) -> None:
    with (
        listening(behave) as connection,
        pytest.raises(StoreUnavailable, match=r"is not a Bolt port.*NEO4J_URI") as caught,
    ):
        probe.probe(connection, 1.0)
    assert connection.uri in caught.value.message


@pytest.mark.campaign("C34")
def test_a_host_that_is_not_found_is_told_as_that() -> None:
    # Reserved for names that do not exist; without a name server, none is found either.
    connection = Connection("bolt://database.invalid:7687", "neo4j", "not-this-secret")
    with pytest.raises(StoreUnavailable, match=r"host of bolt://database\S* is not found"):
        probe.probe(connection, 60)


@pytest.mark.campaign("C34")
@pytest.mark.campaign("C39")
def test_a_program_that_never_answers_is_given_up() -> None:
    with (
        listening(lambda _: None) as connection,
        pytest.raises(StoreUnavailable, match=r"did not answer in 0\.2 s"),
    ):
        probe.probe(connection, 0.2)


@pytest.mark.campaign("C34")
def test_a_server_that_is_too_old_is_refused_with_the_version_needed() -> None:
    with oldbolt.serving("5.26.3") as port:
        connection = Connection(f"bolt://127.0.0.1:{port}", "neo4j", "not-this-secret")
        with pytest.raises(Refused, match=r"5\.26\.3 is too old: Garage needs 2026\.06"):
            probe.probe(connection)
