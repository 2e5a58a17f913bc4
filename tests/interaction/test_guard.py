"""Guard: who comes in, and what every reply carries."""

import json
import re
import socket
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from api.serve.guard import CSP, MAX_BODY
from tests.interaction.conftest import Service

STATUS = {"query": "{ status { state } }"}


def ask(service: Service, path: str = "/graphql", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with httpx.Client(base_url=service.url) as client:
        return client.post(path, json=STATUS, headers=named)


@pytest.mark.campaign("C20")
@pytest.mark.req("MCP-3", part=True)
@pytest.mark.parametrize("path", ["/graphql", "/mcp", "/mcp/local", "/login", "/nowhere"])
@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("evil.example", None, 421),
        ("localhost.evil.example:80", None, 421),
        ("127.0.0.1", None, 421),
        (None, "http://evil.example", 403),
        (None, "null", 403),
        (None, "https://127.0.0.1:1", 403),
    ],
)
def test_a_foreign_host_or_origin_is_refused_before_anything_else(
    closed: Service, path: str, host: str | None, origin: str | None, status: int
) -> None:
    headers = closed.bearer() | ({"Host": host} if host else {})
    headers |= {"Origin": origin} if origin else {}
    response = ask(closed, path, **headers)
    assert response.status_code == status
    assert "state" not in response.text


@pytest.mark.campaign("C20")
def test_graphql_refuses_text_plain_get_and_batches(closed: Service) -> None:
    with closed.client() as client:
        plain = {"Content-Type": "text/plain"}
        as_text = client.post("/graphql", content=json.dumps(STATUS), headers=plain)
        by_get = client.get("/graphql", params=STATUS)
        batch = client.post("/graphql", json=[STATUS] * 50)
    assert [as_text.status_code, by_get.status_code, batch.status_code] == [400, 400, 400]
    assert all(each.json()["errors"][0]["message"] for each in (as_text, by_get, batch))


@pytest.mark.campaign("C28", part=True)
def test_no_token_and_a_wrong_one_are_refused(closed: Service) -> None:
    for path in ("/graphql", "/mcp", "/mcp/local"):
        assert ask(closed, path).status_code == 401
        assert "A token is needed" in ask(closed, path).text
        wrong = ask(closed, path, Authorization="Bearer wrong")
        assert (wrong.status_code, "opens nothing here" in wrong.text) == (401, True)
        assert ask(closed, path, Authorization=f"Basic {closed.secret}").status_code == 401


@pytest.mark.campaign("C28", part=True)
def test_the_relays_path_takes_the_relays_token_alone_and_that_token_opens_nothing_else(
    closed: Service,
) -> None:
    relay = closed.auth.relay_secret
    for secret in (closed.secret, closed.auth.owner_secret):
        assert ask(closed, "/mcp/local", **closed.bearer(secret)).status_code == 403
    for path in ("/graphql", "/mcp", "/login"):
        assert ask(closed, path, **closed.bearer(relay)).status_code == 403
    assert ask(closed, "/mcp/local", **closed.bearer(relay)).status_code not in {401, 403}


def test_the_health_check_is_open_and_says_how_the_service_stands(closed: Service) -> None:
    answer = httpx.get(f"{closed.url}/healthz").json()
    assert (answer["service"], answer["state"]) == ("garage", "failed")
    assert "Neo4j" in answer["message"]


def test_a_login_link_opens_one_session_once(closed: Service) -> None:
    with closed.client(closed.auth.owner_secret) as cli:
        path = cli.post("/login").json()["path"]
    with httpx.Client(base_url=closed.url) as browser:
        first = browser.get(path)
        assert (first.status_code, "refresh" in first.text) == (200, True)
        cookie = first.headers["set-cookie"].lower()
        assert f"garage_{closed.port}=" in cookie
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get("/graphql").status_code == 200
        assert httpx.get(f"{closed.url}{path}").status_code == 403
        assert httpx.get(f"{closed.url}/graphql").status_code == 401


def test_only_the_command_line_may_ask_for_a_login_link(closed: Service) -> None:
    assert ask(closed, "/login", **closed.bearer()).status_code == 403


def test_a_cookie_writes_only_from_our_own_pages_and_never_opens_mcp(closed: Service) -> None:
    secret = closed.auth.login(closed.auth.login_key()) or ""
    cookie = f"garage_{closed.port}={secret}"
    assert ask(closed, Cookie=cookie).status_code == 403
    assert ask(closed, Cookie=cookie, Origin=closed.url).json()["data"]["status"]
    assert ask(closed, "/mcp", Cookie=cookie, Origin=closed.url).status_code == 401


@pytest.mark.campaign("C20")
def test_a_websocket_passes_the_same_guard(closed: Service) -> None:
    address = f"ws://127.0.0.1:{closed.port}/graphql"
    protocols = [Subprotocol("graphql-transport-ws")]
    evil = {"Origin": "http://evil.example"}
    for headers in ({}, {**closed.bearer(), **evil}):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, subprotocols=protocols, additional_headers=headers)
        assert refused.value.response.status_code == 403
    with connect(address, subprotocols=protocols, additional_headers=closed.bearer()) as socket_:
        socket_.send('{"type": "connection_init"}')
        assert json.loads(socket_.recv(10))["type"] == "connection_ack"


@pytest.mark.campaign("C29", part=True)
def test_a_body_over_the_cap_is_refused_as_declared_and_as_counted(closed: Service) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(MAX_BODY // 4096 + 2):
            yield b"x" * 4096

    with closed.client() as client:
        for path in ("/graphql", "/mcp"):
            declared = client.post(path, content=b"x" * (MAX_BODY + 1))
            assert declared.status_code == 413
            assert "1,048,576" in declared.text
            assert client.post(path, content=endless()).status_code == 413
        assert client.post("/graphql", json=STATUS).status_code == 200


@pytest.mark.campaign("C29", part=True)
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"42", b'"text"', b"null", b"[" * 100_000, b"\xff\xfe", b'{"query": 4}', b"{}"],
)
def test_a_body_that_is_no_request_gets_a_reason_and_the_next_one_an_answer(
    closed: Service, body: bytes
) -> None:
    with closed.client() as client:
        json_type = {"Content-Type": "application/json"}
        answer = client.post("/graphql", content=body, headers=json_type)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["message"]
        assert client.post("/graphql", json=STATUS).status_code == 200


def test_every_reply_carries_the_security_headers(closed: Service) -> None:
    with closed.client() as client:
        replies = [
            client.get("/healthz"),
            client.get("/graphql"),
            client.post("/graphql", json=STATUS),
            client.get("/assets/graphiql.min.js"),
            client.get("/nowhere"),
            client.get("/login"),
            client.post("/graphql", content=b"x" * (MAX_BODY + 1)),
            httpx.get(f"{closed.url}/graphql"),
            client.post("/mcp", json={}),
        ]
    for reply in replies:
        assert reply.headers["content-security-policy"] == CSP
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "same-origin"
        assert reply.headers["cross-origin-opener-policy"] == "same-origin"
        is_asset = reply.request.url.path.startswith("/assets/")
        assert (reply.headers["cache-control"] == "no-store") != is_asset


@pytest.mark.req("GQL-1", part=True)
def test_the_explorer_and_all_its_parts_come_from_here(closed: Service) -> None:
    with closed.client() as client:
        page = client.get("/graphql").text
        parts = re.findall(r'<(?:link|script)[^>]* (?:href|src)="([^"]+)"', page)
        assert len(parts) == 8
        assert all(part.startswith(("/assets/", "data:")) for part in parts)
        for part in parts:
            if part.startswith("/assets/"):
                reply = client.get(part)
                assert (reply.status_code, len(reply.content) > 30) == (200, True)
        assert client.get("/assets/tokens.json").status_code == 404


def test_two_hosts_in_one_request_are_refused(closed: Service) -> None:
    own = f"127.0.0.1:{closed.port}"
    request = f"GET /healthz HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n"
    with socket.create_connection(("127.0.0.1", closed.port)) as raw:
        raw.sendall(request.encode())
        assert b" 400 " in raw.recv(1000).split(b"\r\n")[0]
