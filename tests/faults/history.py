"""The history of many clients: what each attempted and what was acknowledged to it.

A client appends a line before each write and one after its acknowledgement; the file survives
every kill. After a recovery must hold: acknowledged ⊆ present ⊆ attempted, no document is mixed,
none is an orphan.
"""

import hashlib
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from graphstore.session import Graph
from tests.faults.orphans import torn

Event = Literal["attempted", "acknowledged"]

_PRESENT: Final = """
CYPHER 25
MATCH (d:Document)
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c) WITH c ORDER BY c.ordinal RETURN collect(c.text) AS texts
}
RETURN d.uri AS uri, d.content_sha256 AS sha256, d.chunks AS chunks, texts
"""


@dataclass(frozen=True, slots=True)
class History:
    """One client's file."""

    file: Path

    def note(self, event: Event, uri: str, sha256: str) -> None:
        """Append an event; it is on the disk when this returns."""
        with self.file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps({"event": event, "uri": uri, "sha256": sha256}) + "\n")
            opened.flush()
            os.fsync(opened.fileno())

    def events(self) -> list[dict[str, str]]:
        """Return what was noted, in order."""
        if not self.file.exists():
            return []
        return [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]


def violations(graph: Graph, histories: list[History]) -> list[str]:
    """Return what the graph broke of its promises; each document belongs to one client."""
    with graph.driver.session(database=graph.database) as session:
        rows = session.run(_PRESENT).data()
    found = [f"torn: {name} {things}" for name, things in torn(graph).items()]
    for row in rows:
        whole = hashlib.sha256("".join(row["texts"]).encode()).hexdigest()
        if len(row["texts"]) != row["chunks"] or whole != row["sha256"]:
            found.append(f"mixed: {row['uri']}")
    present = {row["uri"]: row["sha256"] for row in rows}
    allowed = _allowed(histories)
    found += [f"lost: {uri}" for uri, may in allowed.items() if present.get(uri, "") not in may]
    found += [f"never attempted: {uri}" for uri in present.keys() - allowed.keys()]
    return found


def _allowed(histories: list[History]) -> dict[str, set[str]]:
    """Return the versions that each document may be in; "" = absent.

    The last acknowledged one, or one that was attempted later and may have come through.
    """
    allowed: dict[str, set[str]] = defaultdict(lambda: {""})
    for history in histories:
        for event in history.events():
            if event["event"] == "acknowledged":
                allowed[event["uri"]] = {event["sha256"]}
            else:
                allowed[event["uri"]].add(event["sha256"])
    return allowed
