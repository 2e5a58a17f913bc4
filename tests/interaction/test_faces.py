"""Faces over a graph: what a client does with them, from search to a followed run."""

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from api.ops import runs as ops_runs
from api.ops.garage import Garage
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from graphstore import search_log
from graphstore.session import Graph
from graphstore.settings import Connection
from tests.interaction.conftest import NOTES, Service, running
from tests.interaction.test_mcp_contract import MODES, calling, over_http, text_of

FOLLOW = (
    "subscription ($run: ID!) { ingestProgress(run: $run) { __typename "
    "... on Progress { run done total } ... on IngestRun { uid state counts { name number } } "
    "... on Problem { code } } }"
)


@pytest.mark.req("GQL-1", part=True)
def test_a_page_of_documents_goes_on_where_it_ended(service: Service) -> None:
    page = (
        "query ($after: String) { documents(first: 2, after: $after) { ... on DocumentConnection "
        "{ edges { cursor node { id path authors } } pageInfo { hasNextPage endCursor } "
        "totalCount } } }"
    )
    first = service.data(page)["documents"]
    last = service.data(page, {"after": first["pageInfo"]["endCursor"]})["documents"]
    paths = [edge["node"]["path"] for edge in (*first["edges"], *last["edges"])]
    assert sorted(paths) == sorted(NOTES)
    assert (first["pageInfo"]["hasNextPage"], last["pageInfo"]["hasNextPage"]) == (True, False)
    assert first["totalCount"] == 3
    authors = {
        edge["node"]["path"]: edge["node"]["authors"] for edge in (*first["edges"], *last["edges"])
    }
    assert authors["river.md"] == ["Ada Example"]
    assert authors["garden.md"] == []


@pytest.mark.req("GQL-1", part=True)
def test_every_id_is_found_again_by_node(service: Service) -> None:
    found = service.data(
        '{ source(slug: "notes") { id } document(reference: "garden.md") { id } '
        "runs { ... on RunList { items { id uid } } } }"
    )
    for unique in (found["source"]["id"], found["document"]["id"], found["runs"]["items"][0]["id"]):
        query = "query ($id: ID!) { node(id: $id) { id } }"
        assert service.data(query, {"id": unique})["node"] == {"id": unique}
    query = "query ($id: String!) { document(reference: $id) { path } }"
    assert service.data(query, {"id": found["document"]["id"]})["document"]["path"] == "garden.md"
    for nothing in ("U291cmNlOm5vbmU=", "WDp5"):
        assert service.data("query ($id: ID!) { node(id: $id) { id } }", {"id": nothing}) == {
            "node": None
        }
    (error,) = service.post('{ node(id: "%") { id } }')["errors"]
    assert error["extensions"]["code"] == "INVALID_INPUT"


@pytest.mark.req("SEA-3", part=True)
@pytest.mark.parametrize("mode", MODES)
def test_a_hit_of_rag_search_leads_to_its_document_and_its_text(
    service: Service, mode: str
) -> None:
    found = calling(service, mode, "rag_search", {"query": "tomatoes garden wall"})
    assert found.structured_content is not None
    hit = found.structured_content["hits"][0]
    assert (hit["path"], hit["source"], hit["trust"]) == ("garden.md", "notes", "authored")
    told = calling(service, mode, "rag_get_document", {"reference": hit["document"]})
    assert told.structured_content is not None
    assert told.structured_content["uri"] == hit["uri"]
    part = {"reference": hit["uri"], "start": 2, "max_characters": 6}
    text = calling(service, mode, "rag_read_document", part)
    assert text.structured_content is not None
    assert text.structured_content["text"] == "Garden"
    assert "> Garden" in text_of(text)
    assert "start=8" in text_of(text)


@pytest.mark.req("MCP-1", part=True)
def test_sources_and_stats_say_the_same_through_both_doors(service: Service) -> None:
    fields = "sources documents chunks pending authors"
    by_graphql = service.data(f"{{ stats {{ ... on Stats {{ {fields} }} }} }}")["stats"]
    by_mcp = calling(service, "auto", "rag_stats", {}).structured_content
    assert by_mcp is not None
    assert {name: by_mcp[name] for name in by_graphql} == by_graphql
    rows = calling(service, "auto", "rag_list_sources", {}).structured_content
    assert rows is not None
    assert [row["slug"] for row in rows["sources"]] == ["notes"]


def begin(service: Service) -> dict[str, Any]:
    query = 'ingest(slug: "notes", confirm: true) { ... on IngestPayload { run { id uid } } }'
    return service.data(f"mutation {{ {query} }}")["ingest"]["run"]


def events(service: Service, run: str) -> list[dict[str, Any]]:
    with (
        service.client() as client,
        client.stream(
            "POST",
            "/graphql",
            json={"query": FOLLOW, "variables": {"run": run}},
            headers={"Accept": "text/event-stream"},
        ) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        return [
            json.loads(line.removeprefix("data: "))["data"]["ingestProgress"]
            for line in response.iter_lines()
            if line.startswith("data: {")
        ]


@pytest.mark.req("SRC-8", part=True)
def test_a_run_is_followed_to_its_end_over_sse_and_again_when_it_is_over(service: Service) -> None:
    run = begin(service)
    last = events(service, run["id"])[-1]
    assert (last["__typename"], last["uid"], last["state"]) == ("IngestRun", run["uid"], "done")
    assert {"name": "unchanged", "number": 3} in last["counts"]
    assert events(service, run["uid"])[-1] == last
    assert events(service, "none") == [{"__typename": "NotFound", "code": "NOT_FOUND"}]
    cancel = "mutation ($run: ID!) { cancelIngest(run: $run) { ... on Problem { code } } }"
    assert service.data(cancel, {"run": run["uid"]})["cancelIngest"] == {"code": "NOT_FOUND"}


@pytest.mark.req("GQL-1", part=True)
def test_a_run_is_followed_over_a_websocket(service: Service) -> None:
    run = begin(service)
    address = f"ws://127.0.0.1:{service.port}/graphql"
    protocols = [Subprotocol("graphql-transport-ws")]
    with connect(address, subprotocols=protocols, additional_headers=service.bearer()) as ws:
        ws.send(json.dumps({"type": "connection_init"}))
        assert json.loads(ws.recv(10))["type"] == "connection_ack"
        payload = {"query": FOLLOW, "variables": {"run": run["uid"]}}
        ws.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        types: list[str] = []
        while (message := json.loads(ws.recv(20)))["type"] != "complete":
            types.append(message["payload"]["data"]["ingestProgress"]["__typename"])
    assert types[-1] == "IngestRun"


class HeldRuns(Runs):
    """Runs whose followers are told nothing new; `left` is set when one goes away."""

    def __init__(self, garage: Garage) -> None:
        super().__init__(garage, "held")
        self.left = threading.Event()

    def follow(self, uid: str, heartbeat_s: float = 5.0) -> Any:
        progress = ops_runs.Progress(uid, "notes", 1, 2, "a.md", {})
        try:
            while True:
                yield progress
                threading.Event().wait(0.01)
        finally:
            self.left.set()


@pytest.mark.parametrize("door", ["sse", "websocket"])
def test_a_follower_that_goes_away_leaves_nothing_running(
    garage: Garage, web: Path, tmp_path: Path, door: str
) -> None:
    hall, runs = Hall(), HeldRuns(garage)
    hall.open(Ready(garage, runs))
    with running(hall, tmp_path, web) as service:
        payload = {"query": FOLLOW, "variables": {"run": "any"}}
        if door == "sse":
            accept = {"Accept": "text/event-stream"}
            with (
                service.client() as client,
                client.stream("POST", "/graphql", json=payload, headers=accept) as response,
            ):
                lines = response.iter_lines()
                assert next(lines).startswith("event: next")
                assert hall.idle_s == 0
                assert not runs.left.is_set()
        else:
            address = f"ws://127.0.0.1:{service.port}/graphql"
            protocols = [Subprotocol("graphql-transport-ws")]
            with connect(
                address, subprotocols=protocols, additional_headers=service.bearer()
            ) as ws:
                ws.send(json.dumps({"type": "connection_init"}))
                ws.recv(10)
                ws.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
                ws.recv(10)
                assert hall.idle_s == 0
                ws.socket.close()
        assert runs.left.wait(20)


@pytest.mark.campaign("C25", part=True)
@pytest.mark.req("GQL-1", part=True)
def test_what_nobody_meant_is_masked_with_a_request_id_that_the_log_names(
    garage: Garage,
    neo4j_server: Connection,
    web: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # A database that the server does not have: a fault that no operation foresees.
    wrong = dataclasses.replace(neo4j_server, database="elsewhere")
    with Graph(wrong) as graph:
        hall = Hall()
        broken = dataclasses.replace(garage, graph=graph)
        hall.open(Ready(broken, Runs(broken, "tests")))
        with running(hall, tmp_path, web) as service:
            (error,) = service.post('{ search(query: "canary-7431") { __typename } }')["errors"]
            tool = calling(service, "auto", "rag_search", {"query": "canary-7431"})
    assert error["extensions"]["code"] == "INTERNAL"
    assert "elsewhere" not in json.dumps(error)
    assert error["extensions"]["requestId"] in caplog.text
    assert tool.is_error
    assert text_of(tool).startswith("INTERNAL: Something failed inside Garage.")
    assert text_of(tool).split()[-1].rstrip(".") in caplog.text
    assert "canary-7431" not in caplog.text


@pytest.mark.req("GQL-1", part=True)
def test_a_server_that_is_not_there_is_a_problem_with_what_to_do(
    garage: Garage, web: Path, tmp_path: Path
) -> None:
    nowhere = Connection("bolt://127.0.0.1:9", "neo4j", "none")
    with Graph(nowhere) as graph:
        hall = Hall()
        lost = dataclasses.replace(garage, graph=graph)
        hall.open(Ready(lost, Runs(lost, "tests")))
        with running(hall, tmp_path, web) as service:
            query = "{ it: sources { ... on Problem { code message hint } } }"
            it = service.data(query)["it"]
    assert it["code"] == "UNAVAILABLE"
    assert "does not answer" in it["message"]
    assert "garage doctor" in it["hint"]


def test_the_relay_names_its_client_and_nobody_else_may(service: Service) -> None:
    async def search(path: str, secret: str) -> None:
        async with over_http(service, "auto", path, secret) as client:
            await client.call_tool("rag_search", {"query": "who asks"})

    def last_client() -> str:
        return search_log.latest(service.hall.ready().garage.graph, 1)[0].client

    anyio.run(search, "/mcp/local", service.auth.relay_secret)
    assert last_client() == "Example Desk"
    anyio.run(search, "/mcp", service.secret)
    assert last_client() == "reader"


def test_the_owners_command_line_and_browser_are_told_apart(service: Service) -> None:
    query = '{ search(query: "which door") { __typename } }'
    service.post(query, secret=service.auth.owner_secret)
    graph = service.hall.ready().garage.graph
    (event,) = search_log.latest(graph, 1)
    assert (event.surface, event.client) == ("cli", "cli")
    cookie = service.auth.login(service.auth.login_key())
    headers = {"Cookie": f"garage_{service.port}={cookie}", "Origin": service.url}
    httpx.post(f"{service.url}/graphql", json={"query": query}, headers=headers)
    (event,) = search_log.latest(graph, 1)
    assert (event.surface, event.client) == ("web", "owner")
