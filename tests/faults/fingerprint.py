"""Fingerprint: what a graph says, without when it was said and by which generated ids.

"Killed and resumed" must equal "undisturbed". Nodes are named by what they are (a document by its
uri, a chunk by its document and ordinal, a person by identities), so two runs can be compared; a
uid inside another value is replaced by that name. Records of how the work went are left out.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import neo4j

from graphstore.session import Graph

_WORK: Final = frozenset(
    {"IngestRun", "Activity", "SearchEvent", "GraphVersion", "SchemaVersion", "SchemaLock"}
)
_GENERATED: Final = frozenset(
    {"ix", "stamp", "created_at", "updated_at", "at", "run_uid", "embed_attempts"}
)
_NAMED_BY: Final = {
    "Source": "slug",
    "Document": "uri",
    "Alias": "key",
    "Identity": "key",
    "Predicate": "name",
    "EmbeddingModel": "slug",
    "Outcome": "key",
}
_HOMONYM: Final = re.compile(r"#\d+$")
_SHOWN: Final = 12
_WIDTH: Final = 300

_NODES: Final = (
    "CYPHER 25 MATCH (n) "
    "RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties"
)
_EDGES: Final = (
    "CYPHER 25 MATCH (a)-[r]->(b) RETURN type(r) AS type, elementId(a) AS start, "
    "elementId(b) AS end, properties(r) AS properties"
)


def fingerprint(graph: Graph) -> str:
    """Return the hash of what the graph says."""
    return hashlib.sha256("\n".join(lines(graph)).encode()).hexdigest()


def lines(graph: Graph) -> tuple[str, ...]:
    """Return what the graph says, a line for each node and edge, doubled ones twice, sorted."""
    with graph.driver.session(database=graph.database) as session:
        return lines_in(session)


def lines_in(runner: neo4j.Session | neo4j.Transaction) -> tuple[str, ...]:
    """Return the same, as an open transaction sees it."""
    nodes: list[dict[str, Any]] = runner.run(_NODES).data()
    edges: list[dict[str, Any]] = runner.run(_EDGES).data()
    kept = {node["id"]: node for node in nodes if not _WORK & set(node["labels"])}
    inner = [edge for edge in edges if edge["start"] in kept and edge["end"] in kept]
    names = _names(kept, inner)
    uids = {
        node["properties"]["uid"]: names[node["id"]]
        for node in kept.values()
        if "uid" in node["properties"]
    }
    found = [
        f"node {names[id_]} {_text(node['properties'], uids, is_node=True)}"
        for id_, node in kept.items()
    ]
    found += [
        f"edge {edge['type']} {names[edge['start']]} -> {names[edge['end']]} "
        f"{_text(edge['properties'], uids, is_node=False)}"
        for edge in inner
    ]
    return tuple(sorted(found))


def differences(expected: Sequence[str], found: Sequence[str]) -> str:
    """Return what one fingerprint's lines have and the other's have not, to be read; or nothing."""
    missing = list((Counter(expected) - Counter(found)).elements())
    extra = list((Counter(found) - Counter(expected)).elements())
    told = [f"- {line[:_WIDTH]}" for line in missing[:_SHOWN]]
    told += [f"+ {line[:_WIDTH]}" for line in extra[:_SHOWN]]
    hidden = max(0, len(missing) - _SHOWN) + max(0, len(extra) - _SHOWN)
    return "\n".join([*told, f"and {hidden} more"] if hidden else told)


def _names(
    nodes: Mapping[str, dict[str, Any]], edges: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Name every node by what it is; two that are the same thing get the same name."""
    holders: dict[str, list[str]] = defaultdict(list)
    identities: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        start = nodes[edge["start"]]["properties"]
        if edge["type"] == "HAS_CHUNK":
            holders[edge["end"]].append(str(start.get("uri")))
        elif edge["type"] == "IDENTIFIES":
            identities[edge["end"]].append(str(start.get("key")))
    return {
        id_: "+".join(sorted(node["labels"]))
        + ":"
        + _name(node, sorted(holders[id_]), sorted(identities[id_]))
        for id_, node in nodes.items()
    }


def _name(node: Mapping[str, Any], holders: list[str], identities: list[str]) -> str:
    properties = node["properties"]
    for label in node["labels"]:
        if label in _NAMED_BY:
            return str(properties.get(_NAMED_BY[label]))
    if "Chunk" in node["labels"]:
        return f"{','.join(holders) or 'nobody'}[{properties.get('ordinal')}]"
    if "Entity" in node["labels"]:
        return ",".join(identities) or _HOMONYM.sub("#", str(properties.get("key")))
    return _text(properties, {}, is_node=True)


def _text(properties: Mapping[str, Any], uids: Mapping[str, str], *, is_node: bool) -> str:
    plain = {
        key: _plain(key, value, uids)
        for key, value in properties.items()
        if key not in _GENERATED and not (is_node and key == "uid")
    }
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)


def _plain(key: str, value: Any, uids: Mapping[str, str]) -> Any:
    if hasattr(value, "to_native"):
        native = value.to_native()
        return native.isoformat() if isinstance(native, datetime) else str(native)
    if key.startswith("vec_"):
        numbers = json.dumps([round(float(number), 6) for number in value])
        return f"{len(value)} numbers {hashlib.sha256(numbers.encode()).hexdigest()[:16]}"
    if isinstance(value, str):
        value = ":".join(uids.get(part, part) for part in value.split(":"))
        return _HOMONYM.sub("#", value) if key == "key" else value
    return value
