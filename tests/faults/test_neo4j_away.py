"""C34, C37: the owner's Neo4j is not there, or is not one; the service listens and says so."""

import json
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from api.client import health
from graphstore.errors import Refused
from graphstore.server import probe
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.faults import oldbolt
from tests.faults.canary import token
from tests.faults.garages import OwnGarage, awaited, ended
from tests.faults.proxy import LossyProxy, between
from tests.unit.test_server_probe import listening, say

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

CANARY = token("a password")
Place = Callable[[], AbstractContextManager[int]]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def nobody() -> Generator[int]:
    yield free_port()


@contextmanager
def a_web_server() -> Generator[int]:
    with listening(say(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as connection:
        yield int(connection.uri.rpartition(":")[2])


@contextmanager
def silence() -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@contextmanager
def an_old_neo4j() -> Generator[int]:
    with oldbolt.serving("5.26.3") as port:
        yield port


@pytest.fixture
def own(jar_cache: Path, tmp_path: Path) -> Iterator[OwnGarage]:
    made = OwnGarage(tmp_path / "data", jar_cache)
    try:
        yield made
    finally:
        made.end()


def with_neo4j(own: OwnGarage, port: int, password: str = CANARY) -> OwnGarage:
    extra = {"NEO4J_URI": f"bolt://127.0.0.1:{port}", "NEO4J_PASSWORD": password}
    return replace(own, extra=extra)


def failed(own: OwnGarage) -> str | None:
    """Return why the service cannot serve, once it says so."""
    service = own.service()
    standing = health(service) if service else None
    return standing.message if standing and standing.state == "failed" else None


@pytest.mark.campaign("C34")
@pytest.mark.req("RUN-2")
@pytest.mark.parametrize(
    ("place", "says", "next_step"),
    [
        (nobody, "Nothing listens at bolt://127.0.0.1:{port}", "Start the server there"),
        (a_web_server, "bolt://127.0.0.1:{port} is not a Bolt port", "Correct the port"),
        (silence, "Neo4j at bolt://127.0.0.1:{port} did not answer in 5 s", "garage doctor"),
        (an_old_neo4j, "Neo4j 5.26.3 is too old", "Upgrade the server"),
    ],
)
def test_where_no_neo4j_is_the_service_listens_and_every_door_says_what_and_where(
    own: OwnGarage, place: Place, says: str, next_step: str
) -> None:
    with place() as port:
        own = with_neo4j(own, port)
        serving = own.begin("serve")
        awaited("what is wrong", lambda: says.format(port=port) in str(failed(own)), 240)
        code, out, error = ended(own.begin("search", "the weir"))
        assert code != 0, out
        assert says.format(port=port) in error
        assert next_step in error
        assert says.format(port=port) in _through_mcp(own)
        assert CANARY not in error + (own.data / "logs" / "service.log").read_text("utf-8")
        serving.terminate()
        assert ended(serving)[0] == 0


def _through_mcp(own: OwnGarage) -> str:
    """Call a tool as an assistant does; return everything that was said."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "rag_search", "arguments": {"query": "the weir"}},
        },
    ]
    relay = own.begin("mcp", takes_input=True)
    said = relay.communicate("".join(json.dumps(line) + "\n" for line in lines), timeout=240)[0]
    answers = {answer["id"]: answer for answer in map(json.loads, said.strip().splitlines())}
    return json.dumps(answers[2])


@pytest.mark.campaign("C34")
@pytest.mark.req("RUN-2")
def test_a_neo4j_that_comes_later_is_noticed_without_a_restart(
    own: OwnGarage, neo4j_server: Connection, graph: Graph
) -> None:
    assert graph
    port = free_port()
    own = with_neo4j(own, port, neo4j_server.password)
    serving = own.begin("serve")
    awaited("what is wrong", lambda: "Nothing listens" in str(failed(own)), 240)
    proxy = LossyProxy(int(neo4j_server.uri.rpartition(":")[2]), port=port)
    with between(proxy):
        service = awaited("the service", own.ready, 240)
        assert service.pid == serving.pid
        assert json.loads(own.do("stats", "--json"))["documents"] == 0
        serving.terminate()
        assert ended(serving)[0] == 0


@pytest.mark.campaign("C37")
def test_a_wrong_password_is_tried_once_and_told_without_it(
    own: OwnGarage, neo4j_server: Connection
) -> None:
    proxy = LossyProxy(int(neo4j_server.uri.rpartition(":")[2]))
    with between(proxy):
        own = with_neo4j(own, proxy.port)
        serving = own.begin("serve")
        awaited("what is wrong", lambda: "refused the password" in str(failed(own)), 240)
        outcomes = [ended(own.begin("search", "the weir")) for _ in range(3)]
        assert all(code for code, _, _ in outcomes)
        said = "".join(error for _, _, error in outcomes)
        assert said.count("refused the password of user 'neo4j'") == 3
        assert said.count("NEO4J_PASSWORD") == 3
        assert proxy.connections == 1
        assert CANARY not in said + (own.data / "logs" / "service.log").read_text("utf-8")
        serving.terminate()
        assert ended(serving)[0] == 0
    # Nobody was locked out.
    probe.ask(neo4j_server, 60)
    with pytest.raises(Refused):
        probe.ask(replace(neo4j_server, password=CANARY), 60)
