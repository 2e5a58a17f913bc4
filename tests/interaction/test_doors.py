"""Every door to the memories: what one makes, each other sees, changes and forgets."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import httpx
import httpx2
import psutil
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from api.client import find
from tests.interaction.browsing import HTML, one, shown
from tests.interaction.homes import GARAGE, Home, garage_home
from tests.interaction.test_memory_pages import filled, post, sent

MODES = ("auto", "legacy")
"""The eras of MCP: with a handshake (legacy) and without one."""


class Door(Protocol):
    """A way in, as one who remembers uses it."""

    def remember(self, text: str) -> str: ...
    def says(self, uid: str) -> str | None: ...
    def change(self, uid: str, text: str) -> None: ...
    def forget(self, uid: str) -> None: ...


class CommandLine:
    def __init__(self, home: Home) -> None:
        self._home = home

    def remember(self, text: str) -> str:
        return self._home.json("memory", "add", text)["memory"]["uid"]

    def says(self, uid: str) -> str | None:
        edges = self._home.json("memory", "list", "--limit", "100")["edges"]
        return {edge["node"]["uid"]: edge["node"]["text"] for edge in edges}.get(uid)

    def change(self, uid: str, text: str) -> None:
        self._home.run("memory", "edit", uid, "--text", text)

    def forget(self, uid: str) -> None:
        self._home.run("memory", "forget", uid, "--yes")


class Queries:
    """GraphQL, with a token of its own."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def _data(self, query: str, **variables: Any) -> Any:
        body = {"query": query, "variables": variables}
        answer = self._client.post("/graphql", json=body).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def remember(self, text: str) -> str:
        query = "mutation($t: String!) {remember(text: $t) {...on MemoryPayload {memory {uid}}}}"
        return self._data(query, t=text)["remember"]["memory"]["uid"]

    def says(self, uid: str) -> str | None:
        query = "{memories(first: 100) {...on MemoryConnection {edges {node {uid text}}}}}"
        found = self._data(query)["memories"]["edges"]
        return {edge["node"]["uid"]: edge["node"]["text"] for edge in found}.get(uid)

    def change(self, uid: str, text: str) -> None:
        query = "mutation($i: ID!, $t: String!) {updateMemory(id: $i, text: $t) {__typename}}"
        assert self._data(query, i=uid, t=text) == {"updateMemory": {"__typename": "MemoryPayload"}}

    def forget(self, uid: str) -> None:
        query = "mutation($i: [ID!]!) {forgetMemories(ids: $i) {__typename}}"
        assert self._data(query, i=[uid]) == {"forgetMemories": {"__typename": "ForgetPayload"}}


class Tools:
    """MCP, by the SDK's own client."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client

    def _call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self._portal.call(partial(self._client.call_tool, name, arguments))
        assert not result.is_error, result
        return result.structured_content or {}

    def remember(self, text: str) -> str:
        return self._call("rag_remember", text=text)["memory_id"]

    def says(self, uid: str) -> str | None:
        found = self._call("rag_list_memories", limit=100)["memories"]
        return {each["memory_id"]: each["text"] for each in found}.get(uid)

    def change(self, uid: str, text: str) -> None:
        self._call("rag_update_memory", memory_id=uid, text=text)

    def forget(self, uid: str) -> None:
        assert self._call("rag_forget", memory_id=uid)["deleted"]


class Pages:
    """A browser that holds a session."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def remember(self, text: str) -> str:
        page = sent(self._client, "/memories/new", text=text, source="default", kind="note")
        (link,) = page.select("a[href^='/memory/edit?id=']")
        return str(link["href"]).partition("=")[2]

    def says(self, uid: str) -> str | None:
        reply = self._client.get("/memory", params={"id": uid})
        return None if reply.status_code == 404 else one(shown(reply), "blockquote").get_text()

    def change(self, uid: str, text: str) -> None:
        fields = filled(self._client, f"/memory/edit?id={uid}")
        sent(self._client, "/memory/edit", **{**fields, "text": text})

    def forget(self, uid: str) -> None:
        assert post(self._client, "/memories/forget", id=uid).status_code == 303


@pytest.fixture(scope="module")
def home(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with garage_home(tmp_path_factory.mktemp("home"), jar_cache) as made:
        made.environment["GARAGE_MCP__WRITES"] = "always"
        made.run("stats")  # waits until the graph is there
        yield made


Opening = Callable[[ExitStack, Home, BlockingPortal], Door]


def _command_line(_: ExitStack, home: Home, __: BlockingPortal) -> Door:
    return CommandLine(home)


def _client(stack: ExitStack, home: Home, **options: Any) -> httpx.Client:
    service = find(home.data)
    assert service is not None
    url = f"http://127.0.0.1:{service.port}"
    return stack.enter_context(httpx.Client(base_url=url, timeout=60, **options))


def _token(home: Home, name: str) -> dict[str, str]:
    """Return what a client sends that has a token of this name; one made before is taken away."""
    known = {each["name"] for each in home.json("token", "list")}
    if name in known:
        home.run("token", "remove", name)
    secret = home.json("token", "add", name, "--write")["token"]
    return {"Authorization": f"Bearer {secret}"}


def _queries(stack: ExitStack, home: Home, _: BlockingPortal) -> Door:
    return Queries(_client(stack, home, headers=_token(home, "phone")))


def _pages(stack: ExitStack, home: Home, _: BlockingPortal) -> Door:
    client = _client(stack, home, headers=HTML)
    shown(client.get(home.json("open", "--print")["url"]))
    return Pages(client)


def _stdio(mode: str, stack: ExitStack, home: Home, portal: BlockingPortal) -> Door:
    command = StdioServerParameters(
        command=sys.executable, args=[*GARAGE[1:], "mcp"], env=home.environment
    )
    client = Client(command, mode=mode)
    return Tools(portal, stack.enter_context(portal.wrap_async_context_manager(client)))


def _http(name: str, mode: str, stack: ExitStack, home: Home, portal: BlockingPortal) -> Door:
    service = find(home.data)
    assert service is not None
    http = httpx2.AsyncClient(headers=_token(home, name), timeout=60)
    stack.enter_context(portal.wrap_async_context_manager(http))
    url = f"http://127.0.0.1:{service.port}/mcp"
    client = Client(streamable_http_client(url, http_client=http), mode=mode)
    return Tools(portal, stack.enter_context(portal.wrap_async_context_manager(client)))


OPENINGS: dict[str, Opening] = {
    "cli": _command_line,
    "graphql": _queries,
    "page": _pages,
    **{f"mcp stdio {mode}": partial(_stdio, mode) for mode in MODES},
    **{f"mcp http {mode}": partial(_http, f"tablet-{mode}", mode) for mode in MODES},
}


@pytest.mark.req("MEM-1", part=True)
@pytest.mark.req("MCP-2", part=True)
@pytest.mark.req("WEB-1", part=True)
def test_what_one_door_makes_every_other_sees_changes_and_forgets(home: Home) -> None:
    with start_blocking_portal() as portal, ExitStack() as stack:
        doors = {name: opening(stack, home, portal) for name, opening in OPENINGS.items()}
        for made_by, maker in doors.items():
            for other, door in doors.items():
                if other == made_by:
                    continue
                text = f"Made by {made_by} for {other}."
                uid = maker.remember(text)
                assert door.says(uid) == text
                door.change(uid, f"Changed by {other}, of {made_by}.")
                assert maker.says(uid) == f"Changed by {other}, of {made_by}."
                door.forget(uid)
                assert maker.says(uid) is None


@pytest.mark.req("MEM-1", part=True)
def test_what_any_door_was_told_is_written_outlives_a_service_that_is_killed(home: Home) -> None:
    with start_blocking_portal() as portal, ExitStack() as stack:
        told = {
            OPENINGS[name](stack, home, portal).remember(f"Told to {name}."): name
            for name in OPENINGS
        }
        service = find(home.data)
        assert service is not None
        os.kill(service.pid, signal.SIGKILL)
        psutil.wait_procs([p for p in psutil.process_iter() if p.pid == service.pid], timeout=30)
    line = CommandLine(home)
    assert [line.says(uid) for uid in told] == [f"Told to {name}." for name in told.values()]


@pytest.mark.campaign("C33")
@pytest.mark.req("MEM-3", part=True)
def test_clients_that_write_into_one_store_at_once_stay_apart(home: Home) -> None:
    names = ("desk", "laptop", "phone")
    with start_blocking_portal() as portal, ExitStack() as stack:
        doors = {name: _http(name, "auto", stack, home, portal) for name in names}
        with ThreadPoolExecutor(len(names)) as pool:
            made = dict(pool.map(_ten_each, doors.items()))
        doors["desk"].change(made["phone"][0], "Changed by the desk.")
    listed = home.json("memory", "list", "--limit", "100")["edges"]
    clients = {edge["node"]["uid"]: edge["node"]["client"] for edge in listed}
    assert clients[made["phone"].pop(0)] == "desk"
    assert {name: {clients[uid] for uid in uids} for name, uids in made.items()} == {
        name: {name} for name in names
    }


def _ten_each(named: tuple[str, Door]) -> tuple[str, list[str]]:
    name, door = named
    return name, [door.remember(f"Written by the {name}, number {n}.") for n in range(10)]
