"""Arguments: every one that a face takes arrives in the record of the operation."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from graphql import GraphQLObjectType, build_schema

from api.graphql.schema import printed
from api.ops import core_memory, memories, sources, stats, work
from api.ops.distilling import Distiller
from api.ops.garage import Garage
from extraction.facts.rules import RuleExtractor
from graphstore import search_log
from tests.graph.workers import queue_all
from tests.interaction import test_memories_graphql, test_queue_doors
from tests.interaction.conftest import OWNER, Service
from tests.interaction.test_faces import events
from tests.interaction.test_mcp_contract import MODES, calling, offered, text_of

SINCE, UNTIL = "2001-02-03T04:05:06+00:00", "2101-02-03T04:05:06+00:00"
FILTERS: dict[str, Any] = {
    "query": "river gauge",
    "limit": 7,
    "include": ["chunk"],
    "sources": ["notes"],
    "classes": ["document"],
    "trusts": ["authored"],
    "mimes": ["text/markdown"],
    "authors": ["Ada Example"],
    "since": SINCE,
    "until": UNTIL,
    "explain": True,
}
"""Every argument of a search, each with a value that is not its default."""

SEARCH = """query ($query: String!, $limit: Int, $include: [String!]!, $sources: [String!]!,
  $classes: [String!]!, $trusts: [String!]!, $mimes: [String!]!, $authors: [String!]!,
  $since: DateTime, $until: DateTime, $explain: Boolean!) {
  search(query: $query, limit: $limit, include: $include, sources: $sources, classes: $classes,
    trusts: $trusts, mimes: $mimes, authors: $authors, since: $since, until: $until,
    explain: $explain) {
    ... on SearchResult { hits { title uri text lanes { lane rank } } }
    ... on Problem { code message } } }"""


def recorded(garage: Garage) -> tuple[search_log.SearchEvent, dict[str, Any]]:
    """The newest search, as it was recorded."""
    (event,) = search_log.latest(garage.graph, 1)
    asked = {**event.filters, "query": event.query}
    for name in ("since", "until"):
        asked[name] = datetime.fromisoformat(asked[name]).astimezone(UTC).isoformat()
    return event, asked


WITHOUT_EXPLAIN = {name: value for name, value in FILTERS.items() if name != "explain"}


@pytest.fixture(scope="module")
def barge(garage: Garage) -> str:
    """A memory that was changed once, with its facts, core memory, and a job for each document."""
    sources.set_up(garage)
    stating = replace(garage, handlers=(Distiller(RuleExtractor()),))
    request = memories.RememberRequest("The barge Minna needs new rope.", tags=("boat",))
    done = memories.remember(stating, OWNER, request)
    work.work(stating, OWNER, work.Request())
    change = memories.ChangeRequest(text="The barge Minna has new rope.")
    memories.update(stating, OWNER, done.memory.uid, change)
    work.work(stating, OWNER, work.Request())
    core_memory.edit(garage, OWNER, "user", "Sails on Sundays.")
    core_memory.edit(garage, OWNER, "user", "Sails on Mondays.")
    queue_all(garage)
    return done.memory.uid


@pytest.mark.req("GQL-1", part=True)
@pytest.mark.req("SEA-9", part=True)
def test_every_argument_of_the_graphql_search_arrives(service: Service, garage: Garage) -> None:
    fields = build_schema(printed()).query_type
    assert fields is not None
    assert set(fields.fields["search"].args) == FILTERS.keys()
    (hit, *_) = service.data(SEARCH, FILTERS)["search"]["hits"]
    event, asked = recorded(garage)
    assert {name: asked[name] for name in WITHOUT_EXPLAIN} == WITHOUT_EXPLAIN
    assert (event.surface, event.client) == ("graphql", "reader")
    # `explain` changes the answer and nothing else.
    assert hit["lanes"]
    assert not service.data(SEARCH, FILTERS | {"explain": False})["search"]["hits"][0]["lanes"]


@pytest.mark.req("REC-1", part=True)
def test_every_argument_of_the_graphql_recall_arrives(service: Service, garage: Garage) -> None:
    fields = build_schema(printed()).query_type
    assert fields is not None
    sources.set_up(garage)
    asked = {
        "query": "who mends the rope",
        "kinds": ["todo"],
        "sources": ["default"],
        "limit": 3,
        "asOf": SINCE,
        "includeArchived": True,
    }
    assert set(fields.fields["recall"].args) == asked.keys()
    query = """query ($query: String!, $kinds: [String!]!, $sources: [String!]!, $limit: Int!,
      $asOf: DateTime, $includeArchived: Boolean!) { recall(query: $query, kinds: $kinds,
      sources: $sources, limit: $limit, asOf: $asOf, includeArchived: $includeArchived) {
      ... on RecallResult { query memories { rank } lowConfidence }
      ... on Problem { message } } }"""
    nothing = {"query": asked["query"], "memories": [], "lowConfidence": True}
    assert service.data(query, asked)["recall"] == nothing
    (event,) = search_log.latest(garage.graph, 1)
    found = dict(event.filters)
    moment = datetime.fromisoformat(found.pop("as_of")).astimezone(UTC)
    assert moment == datetime.fromisoformat(SINCE)
    assert found == {
        "recall": True, "kinds": ["todo"], "sources": ["default"], "include_archived": True,
    }  # fmt: skip
    assert (event.surface, event.client) == ("graphql", "reader")


@pytest.mark.req("MCP-1", part=True)
@pytest.mark.parametrize("mode", MODES)
def test_every_parameter_of_rag_search_arrives(service: Service, garage: Garage, mode: str) -> None:
    assert set(offered()[0].input_schema["properties"]) == FILTERS.keys()
    result = calling(service, mode, "rag_search", FILTERS)
    event, asked = recorded(garage)
    assert {name: asked[name] for name in WITHOUT_EXPLAIN} == WITHOUT_EXPLAIN
    assert (event.surface, event.client) == ("mcp", "reader")
    assert result.structured_content is not None
    assert result.structured_content["hits"][0]["lanes"]
    assert "> " in text_of(result)


def test_lists_also_arrive_as_json_strings(service: Service, garage: Garage) -> None:
    lists = {name: json.dumps(value) for name, value in FILTERS.items() if isinstance(value, list)}
    assert not calling(service, "auto", "rag_search", FILTERS | lists).is_error
    _, asked = recorded(garage)
    assert {name: asked[name] for name in WITHOUT_EXPLAIN} == WITHOUT_EXPLAIN


def test_a_day_without_a_zone_is_its_beginning_in_utc(service: Service, garage: Garage) -> None:
    dates = {"since": "2001-02-03", "until": "2101-02-03"}
    assert not calling(service, "auto", "rag_search", FILTERS | dates).is_error
    _, asked = recorded(garage)
    assert asked["since"] == "2001-02-03T00:00:00+00:00"


def test_every_argument_of_a_new_source_arrives(
    service: Service, garage: Garage, tmp_path: Path
) -> None:
    asked = {
        "slug": "letters",
        "root": str(tmp_path),
        "kind": "inbox",
        "defaultClass": "communication",
        "defaultTrust": "received",
        "ignore": ["*.tmp"],
    }
    query = """mutation ($slug: String!, $root: String!, $kind: String!, $defaultClass: String!,
      $defaultTrust: String!, $ignore: [String!]!) { addSource(slug: $slug, root: $root,
      kind: $kind, defaultClass: $defaultClass, defaultTrust: $defaultTrust, ignore: $ignore) {
      ... on AddSourcePayload { created source {
        slug root kind defaultClass defaultTrust ignore } } ... on Problem { message } } }"""
    assert service.data(query, asked)["addSource"] == {"created": True, "source": asked}
    stored = sources.get(garage, "letters")
    assert (stored.kind, stored.default_class, stored.ignore) == (
        "inbox",
        "communication",
        ("*.tmp",),
    )
    (entry,) = stats.log(garage, verb="add-source", limit=1)
    assert (entry.actor, entry.targets) == ("reader", ("source:letters",))
    remove = 'mutation { removeSource(slug: "letters", reason: "done with") { __typename } }'
    assert service.data(remove)["removeSource"]["__typename"] == "RemoveSourcePayload"
    (entry,) = stats.log(garage, verb="remove-source", limit=1)
    assert (entry.actor, entry.reason) == ("reader", "done with")


@pytest.mark.req("MFL-1", part=True)
def test_what_files_are_memories_and_their_tags_arrive(service: Service, tmp_path: Path) -> None:
    asked = {"patterns": ["house.md", "!AGENTS.md"], "tags": ["house"], "root": str(tmp_path)}
    query = """mutation ($root: String!, $patterns: [String!]!, $tags: [String!]!) { addSource(
      slug: "rules", kind: "memory", root: $root, patterns: $patterns, tags: $tags) {
      ... on AddSourcePayload { source { root patterns tags } } ... on Problem { message } } }"""
    assert service.data(query, asked)["addSource"] == {"source": asked}
    service.data('mutation { removeSource(slug: "rules") { __typename } }')


def test_a_runs_confirmation_arrives(service: Service, tmp_path: Path) -> None:
    (tmp_path / "only.md").write_text("The only note.", encoding="utf-8")
    add = 'mutation ($root: String!) { addSource(slug: "brief", root: $root) { __typename } }'
    service.data(add, {"root": str(tmp_path)})
    assert ended(service, confirm=False)["state"] == "done"
    (tmp_path / "only.md").unlink()
    assert ended(service, confirm=False)["state"] == "needs_confirmation"
    assert {"name": "removed", "number": 1} in ended(service, confirm=True)["counts"]
    service.data('mutation { removeSource(slug: "brief") { __typename } }')


@pytest.mark.req("SRC-7")
def test_what_is_to_be_kept_and_what_is_gone_on_purpose_arrives(
    service: Service, tmp_path: Path
) -> None:
    root = tmp_path / "brief"
    root.mkdir()
    (root / "only.md").write_text("The only note.", encoding="utf-8")
    add = 'mutation ($root: String!) { addSource(slug: "brief", root: $root) { __typename } }'
    service.data(add, {"root": str(root)})
    ended(service, confirm=False)
    (root / "only.md").unlink()
    root.rmdir()
    assert ended(service, confirm=True)["state"] == "needs_confirmation"
    told = "{ ... on RemoveSourcePayload { finished documents keptDocuments kept { slug standing"
    told += " documents } } ... on Problem { code } }"
    kept = service.data(
        f'mutation {{ it: removeSource(slug: "brief", keepDocuments: true) {told} }}'
    )
    there = {"slug": "kept", "standing": "kept", "documents": 1}
    assert kept["it"] == {"finished": True, "documents": 0, "keptDocuments": 1, "kept": there}
    accident = service.data(f'mutation {{ it: removeSource(slug: "kept") {told} }}')
    assert accident["it"] == {"code": "REFUSED"}
    gone = service.data(f'mutation {{ it: removeSource(slug: "kept", discardKept: true) {told} }}')
    assert gone["it"] == {"finished": True, "documents": 1, "keptDocuments": 0, "kept": None}


def test_that_a_root_is_gone_for_good_arrives(service: Service, tmp_path: Path) -> None:
    root = tmp_path / "brief"
    root.mkdir()
    (root / "only.md").write_text("The only note.", encoding="utf-8")
    add = 'mutation ($root: String!) { addSource(slug: "brief", root: $root) { __typename } }'
    service.data(add, {"root": str(root)})
    ended(service, confirm=False)
    root.rename(tmp_path / "away")
    query = 'mutation { ingest(slug: "brief", acceptMissingRoot: true) '
    query += "{ ... on IngestPayload { run { id } } } }"
    run = service.data(query)["ingest"]["run"]["id"]
    assert {"name": "removed", "number": 1} in events(service, run)[-1]["counts"]
    service.data('mutation { removeSource(slug: "brief") { __typename } }')


def ended(service: Service, *, confirm: bool) -> dict[str, Any]:
    """A run over the source `brief`, as it ended."""
    query = 'mutation ($confirm: Boolean!) { ingest(slug: "brief", confirm: $confirm) { '
    query += "... on IngestPayload { run { id } } } }"
    run = service.data(query, {"confirm": confirm})["ingest"]["run"]["id"]
    return events(service, run)[-1]


def test_no_argument_of_a_mutation_is_left_out_here() -> None:
    kind = build_schema(printed()).mutation_type
    assert isinstance(kind, GraphQLObjectType)
    assert set(kind.fields) == set(MUTATIONS)
    assert {name: set(field.args) for name, field in kind.fields.items()} == {
        "addSource": {
            *("slug", "root", "kind", "defaultClass", "defaultTrust", "ignore"),
            *("patterns", "tags"),
        },
        "removeSource": {"slug", "reason", "keepDocuments", "discardKept"},
        "ingest": {"slug", "confirm", "acceptMissingRoot"},
        "cancelIngest": {"run"},
        "repair": set(),
        **{name: set(arguments) for name, arguments in test_memories_graphql.ASKED.items()},
        **{name: set(arguments) for name, arguments in test_queue_doors.ASKED.items()},
    }


Check = Callable[[dict[str, Any]], bool]

NARROWING: dict[str, tuple[str, Check]] = {
    "documents(source)": (
        'documents(source: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "documents(first)": (
        "documents(first: 1) { ... on DocumentConnection { edges { cursor } } }",
        lambda it: len(it["edges"]) == 1,
    ),
    "documents(after)": (
        'documents(after: "bm9uZQ==") { ... on Problem { code } }',
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "document(reference)": (
        'document(reference: "notes:river.md") { path }',
        lambda it: it == {"path": "river.md"},
    ),
    "text(reference)": (
        'text(reference: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "text(start)": (
        'text(reference: "garden.md", start: 9) { ... on Passage { start } }',
        lambda it: it == {"start": 9},
    ),
    "text(maxCharacters)": (
        'text(reference: "garden.md", maxCharacters: 8) { ... on Passage { text truncated } }',
        lambda it: it == {"text": "# Garden", "truncated": True},
    ),
    "source(slug)": ('source(slug: "notes") { documents }', lambda it: it == {"documents": 3}),
    "log(verb)": (
        'log(verb: "add-source") { ... on ActivityList { items { verb } } }',
        lambda it: {each["verb"] for each in it["items"]} == {"add-source"},
    ),
    "log(actor)": (
        'log(actor: "nobody") { ... on ActivityList { items { verb } } }',
        lambda it: it == {"items": []},
    ),
    "log(before)": (
        f'log(before: "{UUID(int=0)}") {{ ... on ActivityList {{ items {{ verb }} }} }}',
        lambda it: it == {"items": []},
    ),
    "log(limit)": (
        "log(limit: 1) { ... on ActivityList { items { verb } } }",
        lambda it: len(it["items"]) == 1,
    ),
    "files(source)": (
        'files(source: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "files(states)": (
        'files(states: ["failed"]) { ... on FileList { items { path } } }',
        lambda it: it == {"items": []},
    ),
    "files(limit)": (
        "files(limit: 2) { ... on FileList { items { path } } }",
        lambda it: len(it["items"]) == 2,
    ),
    "runs(source)": (
        'runs(source: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "runs(limit)": (
        "runs(limit: 1) { ... on RunList { items { uid } } }",
        lambda it: len(it["items"]) == 1,
    ),
    "memories(source)": (
        'memories(source: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "memories(tag)": (
        'memories(tag: "none") { ... on MemoryConnection { totalCount sources } }',
        lambda it: it == {"totalCount": 0, "sources": 0},
    ),
    "memories(kind)": (
        'memories(kind: "todo") { ... on MemoryConnection { totalCount } }',
        lambda it: it == {"totalCount": 0},
    ),
    "memories(status)": (
        'memories(status: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "memories(origin)": (
        'memories(origin: "file") { ... on MemoryConnection { totalCount } }',
        lambda it: it == {"totalCount": 0},
    ),
    "memories(text)": (
        'memories(text: "MINNA") { ... on MemoryConnection { totalCount } }',
        lambda it: it == {"totalCount": 1},
    ),
    "memories(first)": (
        "memories(first: 0) { ... on Problem { code } }",
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "memories(after)": (
        'memories(after: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "memories(maxCharacters)": (
        "memories(maxCharacters: 0) { ... on Problem { code } }",
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "memory(id)": ('memory(id: "BARGE") { tags }', lambda it: it == {"tags": ["boat"]}),
    "memoryHistory(id)": (
        'memoryHistory(id: "BARGE") { ... on RevisionList { items { text } } }',
        lambda it: it == {"items": [{"text": "The barge Minna needs new rope."}]},
    ),
    "coreMemoryHistory(block)": (
        'coreMemoryHistory(block: "user") { ... on EarlierBlockList { items { text } } }',
        lambda it: it == {"items": [{"text": "Sails on Sundays."}]},
    ),
    "facts(reference)": (
        'facts(reference: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "NOT_FOUND"},
    ),
    "facts(asOf)": (
        'facts(reference: "BARGE", asOf: "2001-02-03") { ... on FactList { facts { uid } } }',
        lambda it: it == {"facts": []},
    ),
    "facts(knownAt)": (
        'facts(reference: "BARGE", knownAt: "2001-02-03") { ... on FactList { facts { uid } } }',
        lambda it: it == {"facts": []},
    ),
    "facts(ended)": (
        'facts(reference: "BARGE", ended: true) { ... on FactList { facts { text } } }',
        lambda it: [("needs" in each["text"]) for each in it["facts"]] == [False, True],
    ),
    "jobs(state)": (
        'jobs(state: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "jobs(kind)": (
        'jobs(kind: "distil") { ... on JobConnection { edges { cursor } } }',
        lambda it: it == {"edges": []},
    ),
    "jobs(first)": (
        "jobs(first: 1) { ... on JobConnection { edges { cursor } } }",
        lambda it: len(it["edges"]) == 1,
    ),
    "jobs(after)": (
        'jobs(after: "none") { ... on Problem { code } }',
        lambda it: it == {"code": "INVALID_INPUT"},
    ),
    "node(id)": ('node(id: "U291cmNlOm5vdGVz") { id }', lambda it: it["id"] == "U291cmNlOm5vdGVz"),
}
"""Each argument of the other queries, with an answer that only its arrival explains."""


@pytest.mark.parametrize("argument", NARROWING)
def test_every_argument_of_a_query_changes_the_answer(
    service: Service, argument: str, barge: str
) -> None:
    query, check = NARROWING[argument]
    assert check(service.data(f"{{ it: {query.replace('BARGE', barge)} }}")["it"])


def test_no_argument_of_a_query_is_left_out_here() -> None:
    kind = build_schema(printed()).query_type
    assert isinstance(kind, GraphQLObjectType)
    known = {
        f"{name}({argument})"
        for name, field in kind.fields.items()
        for argument in field.args
        if name not in {"search", "recall"}
    }
    assert known == NARROWING.keys()


@pytest.mark.parametrize(
    "query",
    [
        "documents(first: 1000000000)",
        "documents(first: 101)",
        "documents(first: 0)",
        "documents(first: -1)",
        'search(query: "x", limit: 101)',
        "log(limit: 501)",
        "files(limit: 1001)",
        "runs(limit: 0)",
        "jobs(first: 101)",
        "memories(first: 101)",
        'recall(query: "x", limit: 51)',
        'text(reference: "garden.md", start: -1)',
        'text(reference: "garden.md", maxCharacters: 200001)',
    ],
)
@pytest.mark.campaign("C22", part=True)
def test_a_number_out_of_bounds_is_invalid_input(service: Service, query: str) -> None:
    it = service.data(f"{{ it: {query} {{ ... on Problem {{ code hint }} }} }}")["it"]
    assert it["code"] == "INVALID_INPUT"
    assert it["hint"]


MUTATIONS = {
    "addSource": 'slug: "other", root: "/"',
    "removeSource": 'slug: "notes"',
    "ingest": 'slug: "notes"',
    "cancelIngest": 'run: "any"',
    "repair": "",
    "remember": 'text: "The barge sank."',
    "updateMemory": 'id: "any", text: "The barge sank."',
    "confirmMemory": 'id: "any"',
    "undoMemory": 'id: "any"',
    "forgetMemories": 'ids: ["any"]',
    "store": 'text: "The barge sank."',
    "editCoreMemory": 'block: "user", text: "Sank."',
    "work": "",
    "cancelWork": 'shift: "any"',
    "retryJobs": "",
    "dropJobs": 'state: "queued"',
}
"""Every mutation, as somebody who may not would call it."""


@pytest.mark.req("GQL-1")
@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_a_token_that_may_only_read_changes_nothing(service: Service, name: str) -> None:
    secret = service.tokens.add(f"looker-{name}", may_write=False)
    arguments = f"({MUTATIONS[name]})" if MUTATIONS[name] else ""
    query = f"mutation {{ {name}{arguments} {{ ... on Problem {{ code message hint }} }} }}"
    before = service.data("{ stats { ... on Stats { sources documents activities } } }")
    problem = service.post(query, secret=secret)["data"][name]
    assert problem["code"] == "REFUSED"
    assert f"looker-{name}" in problem["message"]
    assert "--write" in problem["hint"]
    assert service.data("{ stats { ... on Stats { sources documents activities } } }") == before
