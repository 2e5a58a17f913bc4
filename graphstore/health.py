"""Health: what a database holds against what it should, and how to mend it.

Indexes are compared with the schema files and the registered models; what must never be in a
healthy graph is looked for by the queries of `cypher/queries/doctor`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from graphstore import embedding_models, predicates, queries, schema
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import GarageError
from graphstore.session import Graph, Transaction

MISSING: Final = "MISSING"
ONLINE: Final = "ONLINE"
FAILED: Final = "FAILED"
_PRIVATE: Final[Mapping[str, str]] = {
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "server.fleet_discovery.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
}
"""Settings of a server that keep it from telling others about itself."""
_SEEN_AT_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Server:
    """The Neo4j that answers."""

    version: str
    edition: str
    talkative: tuple[str, ...]
    """Settings by which it may tell others about itself."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """An index, or a constraint with its index, that should be there."""

    name: str
    state: str
    """ONLINE, POPULATING, FAILED or MISSING."""
    progress: float = 0.0
    """Percent, while it fills."""
    failure: str = ""
    dimensions: int | None = None
    """Of a vector index: the width that it takes."""


def server(graph: Graph) -> Server:
    """Return what the server is, and which of its settings talk to others."""
    (row,) = graph.read("health/server")
    found = graph.read("health/server_settings", names=sorted(_PRIVATE))
    talkative = tuple(
        each["name"] for each in found if str(each["value"]).lower() != _PRIVATE[each["name"]]
    )
    return Server(row["version"], row["edition"], talkative)


def indexes(graph: Graph) -> tuple[IndexState, ...]:
    """Return every index that should be there, by name."""
    found = {
        row["name"]: IndexState(
            row["name"], row["state"], row["progress"], row["failure"] or "", row["dimensions"]
        )
        for row in graph.read("schema/indexes")
    }
    return tuple(found.get(name, IndexState(name, MISSING)) for name in _expected(graph))


def strays(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return what no healthy graph holds, at most 20 a kind, by the kind's name.

    While a run is on, its mailboxes may show up.
    """
    folder = queries.ROOT / "queries" / "doctor"
    found = {
        path.stem: tuple(
            str(row["thing"]) for row in graph.read(f"doctor/{path.stem}", limit=_SEEN_AT_MOST)
        )
        for path in sorted(folder.glob("*.cypher"))
    }
    return {name: things for name, things in found.items() if things}


def try_write(graph: Graph, uid: str) -> None:
    """Write a node and take it back.

    Raises:
        GarageError: the database takes no writes; the message says why.
    """

    def work(tx: Transaction) -> None:
        tx.run("health/try_write", uid=uid)
        raise _TakenBack("The trial write is taken back.")

    try:
        graph.write(work)
    except _TakenBack:
        return


def newest_chunk(graph: Graph) -> tuple[str, str, bool] | None:
    """Return uid and text of a recent chunk, and whether it waits for a vector."""
    for row in graph.read("health/newest_chunk"):
        return row["uid"], row["text"], row["waits"]
    return None


def repair(graph: Graph) -> tuple[str, ...]:
    """Make missing and failed indexes anew; return their names. They fill in the background.

    Raises:
        GarageError: the database does not let an index be made; the message says why.
    """
    broken = [each for each in indexes(graph) if each.state in {MISSING, FAILED}]
    with schema.alone(graph):
        for index in broken:
            if index.state == FAILED and _is_vector_or_text(index.name):
                for statement in queries.statements("templates/drop_index", index=index.name):
                    graph.schema(statement)
        for step in schema.migrations():
            for statement in queries.statements(step.name):
                graph.schema(statement)
        predicates.register(graph, predicates.BUILTIN)
        for model in _known(graph):
            embedding_models.create_index(graph, model)
    graph.look_at_indexes()
    return tuple(index.name for index in broken)


class _TakenBack(GarageError):
    """The trial write is rolled back."""


def _expected(graph: Graph) -> tuple[str, ...]:
    files = ["templates/lock", *(step.name for step in schema.migrations())]
    stated = [_named(each) for file in files for each in queries.statements(file)]
    of_models = [model.chunk_index for model in _known(graph)]
    return tuple(sorted({*stated, *of_models}))


def _known(graph: Graph) -> list[EmbeddingModel]:
    """Return the models that have an index: not those that could never be asked yet."""
    models = embedding_models.listed(graph)
    return [model for model in models if model.state != "retired" and model.fingerprint]


def _named(statement: str) -> str:
    """Return the name of the index or constraint that a schema statement makes."""
    words = statement.split()
    return words[words.index("IF") - 1]


def _is_vector_or_text(name: str) -> bool:
    return name.startswith(("vec_", "ft_"))
