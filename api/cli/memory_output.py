"""Memories as a terminal shows them, with who said them and whether you stand by them."""

import textwrap
from shutil import get_terminal_size
from typing import Any, Final

from api.amounts import amount
from api.cli.output import print_table, print_text, say, style
from api.cli.session import Session
from api.visible import safe, safe_line

_WIDTH: Final = 100
_LINES: Final = 4


def tell_written(done: Any, what: str) -> None:
    """Tell what became of a memory, and which models find it."""
    memory = done["memory"]
    say(f"{what} in '{memory['source']}', revision {memory['revision']}: {memory['title']}")
    tell_embedded(memory["embeddedModels"], memory["pendingModels"])
    for note in done["notes"]:
        say(f"Note: {note}")


def tell_embedded(embedded: list[str], pending: list[str]) -> None:
    """Tell under which models a text is found by its meaning."""
    if embedded:
        say(f"Embedded: {', '.join(embedded)}")
    if pending:
        say(f"Pending, until then words find it: {', '.join(pending)}")


def print_memories(session: Session, page: Any, *, is_narrowed: bool) -> None:
    """Print a page of memories."""
    nodes = [edge["node"] for edge in page["edges"]]
    if not nodes:
        say(
            "No memory fits."
            if is_narrowed
            else "Nothing is remembered yet. Next: garage memory add 'The key is under the mat.'"
        )
        return
    rows = [
        (
            each["uid"],
            each["updatedAt"][:10],
            each["source"],
            each["kind"],
            ", ".join(each["tags"]),
            ", ".join(badges(each)),
            each["title"],
        )
        for each in nodes
    ]
    print_table(("memory", "changed", "source", "kind", "tags", "state", "title"), rows, session)
    total, sources = page["totalCount"], page["sources"]
    say(f"{amount(total, 'memory', 'memories')} in {amount(sources, 'source')}.")
    if page["pageInfo"]["hasNextPage"]:
        say(f"There are more: --after {page['pageInfo']['endCursor']}")


def badges(memory: Any) -> list[str]:
    """Return what is to be known of a memory at a glance."""
    told = {
        "file": bool(memory["file"]),
        "unconfirmed": not memory["confirmed"],
        "embedding pending": bool(memory["pendingModels"]),
        memory["status"]: memory["status"] != "active",
    }
    return [name for name, holds in told.items() if holds]


def print_memory(memory: Any) -> None:
    """Print one memory: what it is on standard error, what it says on standard output."""
    say(f"{memory['title']}  ({memory['uid']})")
    facts = {
        "source": memory["source"],
        "file": memory["file"],
        "said by": f"{memory['origin']} {memory['client']}",
        "state": ", ".join([memory["status"], *badges(memory)]),
        "kind": memory["kind"],
        "tags": ", ".join(memory["tags"]),
        "subjects": ", ".join(memory["subjects"]),
        "class, trust": f"{memory['corpusClass']}, {memory['trust']}",
        "importance": f"{memory['importance']:g}",
        "revision": memory["revision"],
        "created": memory["createdAt"][:19],
        "changed": memory["updatedAt"][:19],
        "expires": (memory["expiresAt"] or "")[:19],
        "recalled": f"{memory['recallCount']:,} times",
        "evidence": ", ".join(each["uri"] for each in memory["evidence"]),
        "embedded": ", ".join(memory["embeddedModels"]),
        "pending": ", ".join(memory["pendingModels"]),
    }
    for name, value in facts.items():
        if value:
            say(f"  {name}: {safe_line(str(value))}")
    print_text(memory["text"])


def print_recalled(session: Session, found: Any) -> None:
    """Print what was recalled, best first."""
    width = min(get_terminal_size().columns, _WIDTH)
    for each in found["memories"]:
        memory = each["memory"]
        print(f"{each['rank']:>2}. {style(safe_line(memory['title']), 'bold', session)}")
        facts = [memory["uid"], memory["source"], memory["kind"], memory["updatedAt"][:10]]
        told = " · ".join([*facts, f"{memory['origin']} {memory['client']}", *badges(memory)])
        print(style(f"    {safe_line(told)}", "dim", session))
        passage = safe_line(safe(each["passage"]))
        for line in textwrap.wrap(passage, width - 4, max_lines=_LINES, placeholder=" …"):
            print(f"    {line}")
        print()
    if not found["memories"]:
        say("Nothing that is remembered answers this.")
    if found["truncated"]:
        say("There are more: --limit shows up to 50.")
    for part in found["degraded"]:
        say(f"Not complete: {part}")
