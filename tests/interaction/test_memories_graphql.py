"""Memories over GraphQL: every write and read, by a program with a token and by the owner."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.ops import sources, stats
from api.ops.garage import Garage
from api.ops.sources import SourceRequest
from tests.interaction.conftest import OWNER, Service

LATER = (datetime.now(UTC) + timedelta(days=365)).replace(microsecond=0).isoformat()
ASKED: dict[str, tuple[str, ...]] = {
    "remember": (
        *("text", "title", "tags", "source", "corpusClass", "trust", "kind", "importance"),
        *("subjects", "evidence", "expiresAt"),
    ),
    "updateMemory": (
        *("id", "text", "title", "tags", "kind", "importance", "subjects", "expiresAt"),
        *("neverExpires", "expectedRevision"),
    ),
    "confirmMemory": ("id", "expectedRevision"),
    "undoMemory": ("id", "number", "expectedRevision"),
    "forgetMemories": ("ids", "dryRun"),
    "store": (
        *("text", "title", "kind", "corpusClass", "subjects", "category", "distil"),
        "remember",
    ),
    "editCoreMemory": ("block", "text", "expectedRevision"),
}
"""Every mutation of memories, with its arguments."""
_TYPES = {
    "id": "ID!",
    "ids": "[ID!]!",
    "text": "String",
    "tags": "[String!]",
    "subjects": "[String!]",
    "evidence": "[String!]!",
    "importance": "Float",
    "expiresAt": "DateTime",
    "neverExpires": "Boolean!",
    "dryRun": "Boolean!",
    "remember": "Boolean!",
    "expectedRevision": "Int",
    "number": "Int",
}
_NEVER_NULL = {"remember", "store", "editCoreMemory"}
MEMORY = (
    "id uid source title text tags subjects kind origin client corpusClass trust importance "
    "status confirmed revision expiresAt editable embeddedModels evidence { kind uri }"
)
PAYLOADS = {
    "remember": f"... on MemoryPayload {{ created notes memory {{ {MEMORY} }} }}",
    "updateMemory": f"... on MemoryPayload {{ created notes memory {{ {MEMORY} }} }}",
    "confirmMemory": f"... on MemoryPayload {{ created notes memory {{ {MEMORY} }} }}",
    "undoMemory": f"... on MemoryPayload {{ created notes memory {{ {MEMORY} }} }}",
    "forgetMemories": "... on ForgetPayload { dryRun memories { memoryId removed "
    "{ name number } } }",
    "store": f"... on StorePayload {{ created jobUid notes embeddedModels document {{ uid title "
    f"corpusClass trust characters }} memory {{ {MEMORY} }} }}",
    "editCoreMemory": "... on CoreMemory { bytes maxBytes blocks { name text revision actor } }",
}


def mutate(service: Service, name: str, secret: str = "", /, **given: Any) -> dict[str, Any]:
    def kind(argument: str) -> str:
        found = _TYPES.get(argument, "String")
        if found.endswith("!") or argument in {"importance", "expiresAt", "expectedRevision"}:
            return found
        return f"{found}!" if name in _NEVER_NULL else found

    named = ", ".join(f"${argument}: {kind(argument)}" for argument in given)
    passed = ", ".join(f"{argument}: ${argument}" for argument in given)
    query = f"mutation ({named}) {{ {name}({passed}) {{ __typename {PAYLOADS[name]} "
    answer = service.post(f"{query}... on Problem {{ code message hint }} }} }}", given, secret)
    assert "errors" not in answer, answer["errors"]
    return answer["data"][name]


@pytest.fixture(scope="module", autouse=True)
def stores(garage: Garage, service: Service) -> None:
    sources.set_up(garage)
    sources.add(garage, OWNER, SourceRequest("letters", "memory://"))


@pytest.mark.req("MEM-3", part=True)
@pytest.mark.req("MEM-4")
@pytest.mark.req("MEM-5")
@pytest.mark.req("MEM-9")
def test_every_argument_of_what_is_remembered_arrives_and_is_found_at_once(
    service: Service, garage: Garage
) -> None:
    asked = {
        "text": "Wren Halloran keeps the lighthouse keys in the blue jar.",
        "title": "Keys",
        "tags": ["keys", "house"],
        "source": "letters",
        "corpusClass": "communication",
        "trust": "reference",
        "kind": "fact",
        "importance": 0.75,
        "subjects": ["Wren Halloran"],
        "expiresAt": LATER,
    }
    assert asked.keys() == {*ASKED["remember"]} - {"evidence"}
    evidence = {"evidence": ["notes:garden.md"]}
    done = mutate(service, "remember", **asked, **evidence)
    memory = done["memory"]
    assert (done["created"], memory["embeddedModels"]) == (True, ["words"])
    assert {name: memory[name] for name in asked} == asked
    assert memory["evidence"] == [{"kind": "document", "uri": "notes:garden.md"}]
    said_by = (memory["origin"], memory["client"], memory["confirmed"])
    assert said_by == ("agent", "reader", False)
    (entry,) = stats.log(garage, verb="remember", limit=1)
    assert entry.actor == "reader"
    again = mutate(service, "remember", text=asked["text"], source="letters", tags=["keys"])
    assert (again["created"], again["memory"]["uid"]) == (False, memory["uid"])
    query = '{ search(query: "lighthouse keys blue jar garden") { ... on SearchResult { hits { '
    query += "memoryId kind source trust origin client confirmed } } } }"
    (hit, *others) = service.data(query)["search"]["hits"]
    who = {"trust": "reference", "origin": "agent", "client": "reader", "confirmed": False}
    assert hit == {"memoryId": memory["uid"], "kind": "memory", "source": "letters", **who}
    documents = [each for each in others if each["source"] == "notes"]
    assert documents
    nobody = {"origin": None, "client": None, "confirmed": None}
    assert all(each.items() >= nobody.items() for each in documents)
    query = '{ recall(query: "lighthouse keys in the jar", sources: ["letters"]) { '
    query += "... on RecallResult { lowConfidence memories { rank passage score relevance "
    query += "retention memory { id uid } } } } }"
    (first, *_) = service.data(query)["recall"]["memories"]
    assert first["memory"] == {"id": memory["id"], "uid": memory["uid"]}
    assert first["passage"] == asked["text"]
    query = "query ($id: ID!) { node(id: $id) { id ... on Memory { recallCount } } }"
    assert service.data(query, {"id": memory["id"]})["node"]["recallCount"] == 2


@pytest.mark.req("MEM-6")
def test_every_argument_of_a_change_arrives_and_an_undo_takes_it_back(service: Service) -> None:
    old = mutate(service, "remember", text="The ferry leaves at nine.", tags=["ferry"])["memory"]
    asked = {
        "text": "The ferry leaves at ten.",
        "title": "Ferry",
        "tags": [],
        "kind": "decision",
        "importance": 0.25,
        "subjects": ["Ferry office"],
        "expiresAt": LATER,
    }
    passed = asked.keys() | {"id", "neverExpires", "expectedRevision"}
    assert passed == {*ASKED["updateMemory"]}
    done = mutate(service, "updateMemory", id=old["uid"], expectedRevision=1, **asked)["memory"]
    assert {name: done[name] for name in asked} == asked
    assert (done["id"], done["revision"]) == (old["id"], 2)
    stale = mutate(service, "updateMemory", id=old["id"], text="Eleven.", expectedRevision=1)
    assert (stale["__typename"], stale["code"]) == ("Conflict", "CONFLICT")
    kept = mutate(service, "updateMemory", id=old["id"], neverExpires=True)["memory"]
    assert (kept["expiresAt"], kept["text"]) == (None, asked["text"])
    query = "query ($id: ID!) { memoryHistory(id: $id) { ... on RevisionList { items { number "
    query += "text title tags kind client at actor } } } }"
    items = service.data(query, {"id": old["id"]})["memoryHistory"]["items"]
    assert [(each["number"], each["text"]) for each in items] == [
        (2, "The ferry leaves at ten."),
        (1, "The ferry leaves at nine."),
    ]
    undone = mutate(service, "undoMemory", id=old["id"], number=1, expectedRevision=3)["memory"]
    assert (undone["text"], undone["tags"]) == ("The ferry leaves at nine.", ["ferry"])
    assert mutate(service, "undoMemory", id=old["id"], number=77)["code"] == "NOT_FOUND"
    stale = mutate(service, "undoMemory", id=old["id"], number=1, expectedRevision=3)
    assert stale["code"] == "CONFLICT"


@pytest.mark.req("REC-5", part=True)
def test_only_the_owner_confirms_a_memory(service: Service) -> None:
    memory = mutate(service, "remember", text="The mill stands still on Fridays.")["memory"]
    refused = mutate(service, "confirmMemory", id=memory["id"])
    assert refused["code"] == "REFUSED"
    assert "'reader'" in refused["message"]
    owner = service.auth.owner_secret
    stale = mutate(service, "confirmMemory", owner, id=memory["id"], expectedRevision=9)
    assert stale["code"] == "CONFLICT"
    done = mutate(service, "confirmMemory", owner, id=memory["uid"], expectedRevision=1)["memory"]
    assert (done["confirmed"], done["trust"]) == (True, "authored")


@pytest.mark.req("MEM-7", part=True)
@pytest.mark.campaign("C14", part=True)
def test_memories_are_forgotten_together_or_not_at_all(service: Service) -> None:
    texts = ("Rook bought a kite.", "Rook sold the kite.")
    memories = [mutate(service, "remember", text=text)["memory"] for text in texts]
    both = [each["id"] for each in memories]
    plan = mutate(service, "forgetMemories", ids=both, dryRun=True)
    assert plan["dryRun"]
    assert [each["memoryId"] for each in plan["memories"]] == [each["uid"] for each in memories]
    for wrong in ("none", document(service, "garden.md")):
        refused = mutate(service, "forgetMemories", ids=[*both, wrong])
        assert refused["code"] in {"NOT_FOUND", "INVALID_INPUT"}
        assert total(service, "kite") == 2
    for ids in ([], [str(number) for number in range(101)]):
        assert mutate(service, "forgetMemories", ids=ids)["code"] == "INVALID_INPUT"
    done = mutate(service, "forgetMemories", ids=[*both, memories[0]["uid"]])
    counts = {each["name"]: each["number"] for each in done["memories"][0]["removed"]}
    assert (counts["chunks"], counts["vectors"]) == (1, 1)
    assert len(done["memories"]) == 2
    assert total(service, "kite") == 0
    query = "query ($id: ID!) { memory(id: $id) { uid } node(id: $id) { id } }"
    assert service.data(query, {"id": both[0]}) == {"memory": None, "node": None}


def document(service: Service, path: str) -> str:
    query = "query ($path: String!) { document(reference: $path) { uid } }"
    return service.data(query, {"path": path})["document"]["uid"]


def total(service: Service, text: str) -> int:
    query = "query ($text: String!) { memories(text: $text) { ... on MemoryConnection "
    return service.data(f"{query} {{ totalCount }} }} }}", {"text": text})["memories"]["totalCount"]


@pytest.mark.req("STO-1", part=True)
def test_every_argument_of_a_text_that_is_stored_arrives_and_its_bytes_stay(
    service: Service,
) -> None:
    asked: dict[str, Any] = {
        "text": "  Tide table.\r\n\tLow water at seven.\n\n",
        "title": "Tides",
        "kind": "clipping",
        "corpusClass": "reference",
        "subjects": ["tides"],
        "category": "sea",
        "distil": "none",
        "remember": True,
    }
    assert asked.keys() == {*ASKED["store"]}
    done = mutate(service, "store", **asked)
    shown = done["document"]
    assert (done["created"], done["jobUid"]) == (True, None)
    assert (shown["title"], shown["corpusClass"]) == ("Tides", "reference")
    query = '{ search(query: "low water tide table", sources: ["stored"]) { ... on SearchResult { '
    (hit, *_) = service.data(f"{query} hits {{ client origin }} }} }} }}")["search"]["hits"]
    assert hit == {"client": "reader", "origin": None}
    query = "query ($uid: String!) { text(reference: $uid) { ... on Passage { text } } }"
    assert service.data(query, {"uid": shown["uid"]})["text"]["text"] == asked["text"]
    assert (done["memory"]["title"], done["memory"]["subjects"]) == ("Tides", ["tides"])
    again = mutate(service, "store", text=asked["text"])
    assert (again["created"], again["document"]["uid"]) == (False, shown["uid"])
    assert again["jobUid"]
    assert "in the queue" in " ".join(again["notes"])
    huge = mutate(service, "store", text="x" * (256 * 1024 + 1))
    assert (huge["__typename"], huge["code"]) == ("TooLarge", "TOO_LARGE")


@pytest.mark.req("REC-3", part=True)
def test_core_memory_is_written_by_block_with_a_lock_and_keeps_what_it_said(
    service: Service,
) -> None:
    first = mutate(service, "editCoreMemory", block="user", text="Sails on Sundays.")
    (block,) = [each for each in first["blocks"] if each["name"] == "user"]
    assert (block["text"], block["actor"]) == ("Sails on Sundays.", "reader")
    revision = block["revision"]
    given = {"block": "user", "text": "Sails on Mondays."}
    assert given.keys() | {"expectedRevision"} == {*ASKED["editCoreMemory"]}
    mutate(service, "editCoreMemory", expectedRevision=revision, **given)
    stale = mutate(service, "editCoreMemory", expectedRevision=revision, **given)
    assert stale["code"] == "CONFLICT"
    assert mutate(service, "editCoreMemory", block="none", text="x")["code"] == "INVALID_INPUT"
    long = mutate(service, "editCoreMemory", block="persona", text="x" * 4_097)
    assert long["code"] == "TOO_LARGE"
    query = "{ coreMemory { ... on CoreMemory { bytes maxBytes blocks { name text } } } }"
    read = service.data(query)["coreMemory"]
    assert (read["bytes"], read["maxBytes"]) == (17, 4_096)
    assert [each["name"] for each in read["blocks"]] == ["persona", "user", "current_projects"]


@pytest.mark.req("MEM-3", part=True)
def test_pages_of_memories_go_on_and_say_how_many_there_are(service: Service) -> None:
    for number in range(3):
        source = "letters" if number else "default"
        mutate(service, "remember", text=f"Pilot {number} knows the sandbank.", source=source)
    query = """query ($after: String, $source: String, $kind: String) { memories(
      text: "sandbank", first: 2, after: $after, source: $source, kind: $kind) {
      ... on MemoryConnection { totalCount sources edges { cursor node { text } }
      pageInfo { hasNextPage endCursor } } ... on Problem { code } } }"""
    first = service.data(query)["memories"]
    last = service.data(query, {"after": first["pageInfo"]["endCursor"]})["memories"]
    assert (first["totalCount"], first["sources"]) == (3, 2)
    texts = [edge["node"]["text"] for page in (first, last) for edge in page["edges"]]
    assert texts == [f"Pilot {number} knows the sandbank." for number in (2, 1, 0)]
    assert not last["pageInfo"]["hasNextPage"]
    assert service.data(query, {"source": "default"})["memories"]["totalCount"] == 1
    assert service.data(query, {"source": "none"})["memories"] == {"code": "NOT_FOUND"}
    assert service.data(query, {"kind": "none"})["memories"] == {"code": "INVALID_INPUT"}


@pytest.mark.req("MEM-8")
@pytest.mark.campaign("C12")
@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"text": ""}, "InvalidInput"),
        ({"text": " \n"}, "InvalidInput"),
        ({"text": "a\0b"}, "InvalidInput"),
        ({"text": "x" * 16_001}, "TooLarge"),
        ({"text": "x", "source": "none"}, "NotFound"),
        ({"text": "x", "source": "notes"}, "InvalidInput"),
        ({"text": "x", "kind": "rumour"}, "InvalidInput"),
        ({"text": "x", "importance": 2.0}, "InvalidInput"),
        ({"text": "x", "expiresAt": "2001-01-01T00:00:00"}, "InvalidInput"),
        ({"text": "x", "evidence": ["none"]}, "NotFound"),
    ],
)
def test_what_cannot_be_remembered_is_said_and_changes_nothing(
    service: Service, given: dict[str, Any], kind: str
) -> None:
    counts = "{ stats { ... on Stats { sources documents chunks activities } } }"
    before = service.data(counts)
    problem = mutate(service, "remember", **given)
    assert problem["__typename"] == kind
    assert problem["hint"]
    assert service.data(counts) == before
