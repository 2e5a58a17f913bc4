"""GraphQL under attack: what costs too much, what is meant as code, what must not be told."""

import dataclasses
import json
import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import GraphQLInputType, GraphQLList, build_schema, get_named_type, get_nullable_type

from api.graphql import app, limits
from api.graphql.schema import printed
from api.ops import search, sources
from api.ops.garage import Garage
from api.ops.hall import Hall, Ready
from api.ops.runs import Runs
from graphstore.errors import MAX_MESSAGE
from tests.graph.conftest import rows
from tests.interaction.conftest import Service, running
from tests.interaction.test_faces import FOLLOW
from tests.interaction.test_mcp_contract import calling, offered, text_of
from tests.words import WordEmbedder

SCHEMA = build_schema(printed())
CANARY = "canary-2719"


def spread(width: int, depth: int) -> str:
    """Fragments of which each spreads the next so many times."""
    parts = [f"fragment F{n} on Query {{ {f'...F{n + 1} ' * width} }}" for n in range(depth)]
    return "{ ...F0 } " + " ".join(parts) + f" fragment F{depth} on Query {{ status {{ state }} }}"


def aliased(count: int, field: str = "status { state }") -> str:
    return "{" + " ".join(f"a{n}: {field}" for n in range(count)) + "}"


COSTLY = {
    "depth-200": ("{ " + "documents { edges { node { " * 70 + "uid" + " }" * 211, "depth"),
    "depth-9": ("{ a " * 9 + "{ b }" + "}" * 9, "levels of depth"),
    "inline": ("{ " + "... on Query { " * 90 + "status { state }" + " }" * 91, "nested"),
    "inline-400": ("{ " + "... on Query { " * 400 + "status { state }" + " }" * 401, "depth"),
    "introspection": (
        "{ __schema { " + "types { fields { type { " * 9 + "name" + "}" * 29,
        "depth",
    ),
    "aliases": (aliased(limits.MAX_ALIASES + 1), "31 aliases; at most 30"),
    "aliases-spread": (
        "{ ...A ...A } fragment A on Query " + aliased(16), "32 aliases; at most 30",
    ),
    "alias-flood": (aliased(20_000), "characters"),
    "tokens": ("{" + "status { state } " * limits.MAX_TOKENS + "}", "2000 tokens"),
    "wide": ("{" + "status { state } " * 400 + "}", "selected in one place"),
    "wide-inline": ("{" + "... { status { state } } " * 200 + "}", "selected in one place"),
    "fan-out-3^11": (spread(3, 11), "selected in one place"),
    "fan-out-2^60": (spread(2, 60), "selected in one place"),
    "cycle": ("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }", "fragment"),
    "cycle-alone": ("{ status { state } } fragment A on Query { ...A }", "fragment"),
    "cost": (aliased(30, "files { ... on FileList { items { path state reason } } }"), "cost"),
    "cost-by-variable": (
        "query ($n: Int = 1000) "
        + aliased(20, "log(limit: $n) { ... on ActivityList { items { uid verb reason } } }"),
        "cost",
    ),
    "long-number": ("{ documents(first: " + "9" * 5_000 + ") { __typename } }", "digits"),
    "long-string": ('{ document(reference: "' + "x" * 900_000 + '") { uid } }', "characters"),
    "comment": ("{ status { state } } #" + "x" * 900_000, "characters"),
    "braces": ("{" * 1_900, "syntax"),
    "values": ("{ search(query: " + "[" * 900 + "1" + "]" * 900 + ") { __typename } }", ""),
}  # fmt: skip


@pytest.mark.campaign("C21")
@pytest.mark.req("GQL-1", part=True)
@pytest.mark.parametrize("name", COSTLY)
def test_a_costly_request_is_refused_by_the_name_of_its_limit_and_the_next_one_answered(
    closed: Service, name: str
) -> None:
    query, said = COSTLY[name]
    answer = closed.post(query)
    assert answer["data"] is None
    assert said in " ".join(error["message"] for error in answer["errors"]).lower()
    assert "INTERNAL" not in json.dumps(answer)
    assert closed.data("{ status { state } }")


@pytest.mark.campaign("C21")
def test_a_document_of_two_megabytes_and_a_batch_are_refused(closed: Service) -> None:
    with closed.client() as client:
        large = client.post("/graphql", json={"query": "{ status { state } }" + " " * 2_200_000})
        assert (large.status_code, "1,048,576" in large.text) == (413, True)
        batch = client.post("/graphql", json=[{"query": "{ status { state } }"}] * 50)
        assert batch.status_code == 400
    assert closed.data("{ status { state } }")


@pytest.mark.campaign("C21")
def test_an_ordinary_request_is_far_from_every_limit(service: Service) -> None:
    fields = "uid title uri path authors repliesTo thread attachments pendingChunks"
    node = f"{{ edges {{ node {{ {fields} }} }} }}"
    page = f"documents(first: 100) {{ ... on DocumentConnection {node} }}"
    hits = "hits { uri title text lanes { lane rank score } }"
    query = (
        "{"
        + " ".join(
            f'd{n}: {page} s{n}: search(query: "river") {{ ... on SearchResult {{ {hits} }} }}'
            for n in range(5)
        )
        + "}"
    )
    assert len(service.data(query)["d0"]["edges"]) >= 3


@pytest.mark.campaign("C21")
def test_a_request_that_takes_too_long_is_ended_with_its_limit(
    web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "WALL_CLOCK_S", 0.2)
    with running(Hall(), tmp_path, web) as service, service.client() as client:
        # A hall that never opens: the operation waits, the request does not.
        reply = client.post("/graphql", json={"query": "{ stats { __typename } }"})
        assert reply.status_code == 503
        assert "took longer" in reply.json()["errors"][0]["message"]
        assert service.data("{ status { state } }")


@pytest.mark.campaign("C20")
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"query=%7Bstatus%7Bstate%7D%7D"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\n{}\r\n--b--\r\n"),
        ("text/plain", b'{"query": "{ status { state } }"}'),
        ("text/plain;charset=UTF-8", b'{"query": "{ status { state } }"}'),
        ("", b'{"query": "{ status { state } }"}'),
    ],
)
def test_what_a_foreign_page_may_send_without_asking_is_refused(
    closed: Service, kind: str, body: bytes
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    with httpx.Client(base_url=closed.url, headers=closed.bearer()) as client:
        reply = client.post("/graphql", content=body, headers=headers)
    assert reply.status_code == 400
    assert "state" not in reply.text


HARMLESS: dict[str, Any] = {
    "slug": "nowhere", "root": "/nowhere", "query": "river", "reference": "nowhere",
    "id": "nowhere", "run": "nowhere",
}  # fmt: skip
"""What the other arguments are, so that nothing is written but by what an argument smuggles in."""


KEPT = {("remember", "text"), ("store", "text")}
"""Fields and arguments whose text is kept, whatever it is."""


def is_text(kind: GraphQLInputType) -> bool:
    return get_named_type(kind).name in {"String", "ID"}


def text_arguments() -> Iterator[tuple[str, str, str]]:
    """Every argument of the schema that takes text: (operation, field, argument)."""
    roots = {"query": SCHEMA.query_type, "mutation": SCHEMA.mutation_type}
    for operation, root in roots.items():
        for field, shape in root.fields.items() if root else ():
            for name, argument in shape.args.items():
                if is_text(argument.type):
                    yield operation, field, name


def asked(service: Service, place: tuple[str, str, str], text: str) -> httpx.Response:
    operation, name, argument = place
    root = SCHEMA.mutation_type if operation == "mutation" else SCHEMA.query_type
    assert root is not None
    arguments = root.fields[name].args
    kind = arguments[argument].type
    others = "".join(
        f', {key}: "{HARMLESS[key]}"' for key in arguments if key in HARMLESS and key != argument
    )
    query = f"{operation} ($it: {kind}) {{ {name}({argument}: $it{others}) {{ __typename }} }}"
    value = [text] if isinstance(get_nullable_type(kind), GraphQLList) else text
    with service.client() as client:
        # By hand: half a surrogate pair is JSON, and httpx would not send it.
        body = json.dumps({"query": query, "variables": {"it": value}})
        headers = {"Content-Type": "application/json"}
        return client.post("/graphql", content=body.encode(), headers=headers)


CODE = (
    "` DETACH DELETE n //",
    "\\u0060}) DETACH DELETE n //",
    "x'}) WITH 1 AS a MATCH (n) DETACH DELETE n //",
    'x"}) CREATE (:Planted)\n//',
    "$$label:Planted $uid {.*}",
    "ｘ＇）　ＣＲＥＡＴＥ（：Ｐｌａｎｔｅｄ）",
    "LOAD CSV FROM 'http://127.0.0.1:9/x' AS l CREATE (:Planted)",
    "\x00\u2028\u202e\ud800",
    '/b tb- AND "* *:* a~99 {!x} [a TO b]',
)


@contextmanager
def unchanged(garage: Garage) -> Generator[None]:
    """Count everything before and after, but the log of searches, which searches write."""
    query = (
        "MATCH (n) WHERE NOT n:SearchEvent RETURN labels(n) AS what, count(*) AS n, "
        "sum(size(keys(n))) AS keys, NULL AS ends ORDER BY what "
        "UNION ALL MATCH (a)-[r]->(b) WHERE NOT a:SearchEvent RETURN type(r) AS what, "
        "count(*) AS n, sum(size(keys(r))) AS keys, count(DISTINCT a) AS ends ORDER BY what"
    )
    before = rows(garage.graph, query)
    assert len(before) > 8
    yield
    assert rows(garage.graph, query) == before


@pytest.mark.campaign("C23")
@pytest.mark.parametrize("code", CODE)
def test_code_in_any_argument_writes_nothing_and_breaks_nothing(
    service: Service, garage: Garage, code: str
) -> None:
    places = [place for place in text_arguments() if place[1:] not in KEPT]
    assert len(places) > 20
    with unchanged(garage):
        for place in places:
            reply = asked(service, place, code)
            assert reply.status_code == 200, (place, reply.text)
            assert "INTERNAL" not in reply.text, (place, reply.text)


@pytest.mark.campaign("C23")
@pytest.mark.parametrize("code", [each for each in CODE if "\x00" not in each])
def test_code_that_is_to_be_remembered_is_kept_as_text_and_does_nothing(
    service: Service, garage: Garage, code: str
) -> None:
    told = "{ ... on MemoryPayload { memory { uid text } } ... on Problem { code message } }"
    query = f"mutation ($it: String!) {{ remember(text: $it) {told} }}"
    sources.set_up(garage)
    done = service.data(query, {"it": code})["remember"]
    assert "memory" in done, done
    memory = done["memory"]
    assert memory["text"] == code.strip()
    assert rows(garage.graph, "MATCH (n:Planted) RETURN n") == []
    forget = f'mutation {{ forgetMemories(ids: ["{memory["uid"]}"]) {{ __typename }} }}'
    assert service.data(forget)["forgetMemories"]["__typename"] != "Problem"
    assert rows(garage.graph, "MATCH (m:Memory {uid: $uid}) RETURN m", uid=memory["uid"]) == []


@pytest.mark.campaign("C23")
def test_code_in_any_argument_of_a_tool_writes_nothing_and_breaks_nothing(
    service: Service, garage: Garage
) -> None:
    with unchanged(garage):
        for tool in offered():
            shapes = tool.input_schema["properties"]
            required = {name: HARMLESS[name] for name in tool.input_schema.get("required", ())}
            for name, shape in shapes.items():
                text = "\n".join(CODE[:-2])
                value = {"string": text, "array": [text]}.get(shape.get("type"))
                if value is not None:
                    result = calling(service, "auto", tool.name, {**required, name: value})
                    assert "Error executing" not in text_of(result), (tool.name, name)


@pytest.mark.campaign("C22")
def test_a_megabyte_in_any_argument_is_refused_or_looked_for_and_never_told_back(
    service: Service, garage: Garage
) -> None:
    with unchanged(garage):
        for place in text_arguments():
            reply = asked(service, place, "x" * 900_000)
            assert reply.status_code == 200, (place, reply.text[:500])
            assert "INTERNAL" not in reply.text, place
            assert len(reply.content) < 4 * MAX_MESSAGE, place
    assert service.data("{ status { state } }")


@pytest.mark.campaign("C22")
@pytest.mark.parametrize("name", ["sources", "authors", "mimes", "classes", "trusts"])
def test_a_filter_of_very_many_values_is_refused(service: Service, name: str) -> None:
    told = "{ ... on Problem { code message } }"
    query = f'query ($it: [String!]!) {{ search(query: "x", {name}: $it) {told} }}'
    found = service.data(query, {"it": ["notes"] * 20_000})["search"]
    assert found["code"] == "INVALID_INPUT"
    assert str(search.MAX_FILTER) in found["message"]


@pytest.mark.campaign("C22")
@pytest.mark.parametrize(
    "query",
    [
        "documents(first: 2147483647)",
        'text(reference: "garden.md", maxCharacters: -1)',
        'documents(after: "MjAyNi0wMS0wMVQwMDowMDowMCB1aWQ=")',  # a moment without a zone
    ],
)
def test_what_is_out_of_bounds_is_invalid_input(service: Service, query: str) -> None:
    it = service.data(f"{{ it: {query} {{ ... on Problem {{ code }} }} }}")["it"]
    assert it == {"code": "INVALID_INPUT"}


@pytest.mark.campaign("C22")
def test_a_number_that_is_none_is_refused_and_an_offset_past_the_end_is_the_end(
    service: Service,
) -> None:
    for number in ("2147483648", "-99999999999", "1e400", '"7"'):
        assert service.post(f"{{ documents(first: {number}) {{ __typename }} }}")["errors"]
    past = 'text(reference: "garden.md", start: 2147483647) { ... on Passage { text truncated } }'
    assert service.data(f"{{ {past} }}")["text"] == {"text": "", "truncated": False}
    with service.client() as client:
        body = b'{"query": "{ status { state } }", "variables": {"n": ' + b"9" * 5_000 + b"}}"
        headers = {"Content-Type": "application/json"}
        assert client.post("/graphql", content=body, headers=headers).status_code == 400


@pytest.mark.req("SEA-2", part=True)
def test_a_moment_without_a_zone_is_utc(service: Service) -> None:
    query = (
        'query ($since: DateTime, $until: DateTime) { search(query: "river", since: $since, '
        "until: $until) { ... on SearchResult { hits { changedAt } } } }"
    )
    everything = {"since": "2001-02-03T00:00:00", "until": "2101-02-03"}
    hits = service.data(query, everything)["search"]["hits"]
    assert hits
    moment = max(hit["changedAt"] for hit in hits)
    assert moment.endswith("+00:00")
    naive = {"since": moment.removesuffix("+00:00")}
    assert service.data(query, naive) == service.data(query, {"since": moment})


class Leaking(WordEmbedder):
    """An embedder with a fault that nobody foresaw, and a loose tongue."""

    def embed_query(self, text: str):
        message = f"password={CANARY}, asked for {text}"
        raise RuntimeError(message)


class LeakingRuns(Runs):
    """Runs that cannot be followed, for a reason that must not be told."""

    def follow(self, uid: str, heartbeat_s: float = 5.0):
        message = f"password={CANARY}"
        raise RuntimeError(message)


@pytest.mark.campaign("C25")
def test_an_error_with_a_secret_is_told_by_its_id_alone_and_logged_without_text(
    garage: Garage, web: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leaking = dataclasses.replace(garage, embedders=(Leaking(),))
    hall = Hall()
    hall.open(Ready(leaking, LeakingRuns(leaking, "tests")))
    with caplog.at_level(logging.INFO), running(hall, tmp_path, web) as service:
        answer = service.post('{ search(query: "my private words") { __typename } }')
        tool = calling(service, "auto", "rag_search", {"query": "my private words"})
        with service.client() as client:
            payload = {"query": FOLLOW, "variables": {"run": "any"}}
            accept = {"Accept": "text/event-stream"}
            stream = client.post("/graphql", json=payload, headers=accept).text
        readable = service.post('{ search(query: "x", limit: 0) { ... on Problem { message } } }')
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "INTERNAL"
    assert error["extensions"]["requestId"] in error["message"]
    assert error["extensions"]["requestId"] in caplog.text
    assert "RuntimeError" in caplog.text
    told = json.dumps(answer) + text_of(tool) + stream + caplog.text
    assert CANARY not in told
    assert "private words" not in told
    assert "Something failed inside Garage" in stream
    assert readable["data"]["search"]["message"] == "limit is 0."
