"""Journal: the activity log. Every write says who did what, why, and how much changed.

An activity is written in the transaction of its effect, so there is never one without the other.
It outlives what it touched and never holds text of it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from graphstore.session import Graph, Row, Transaction

MAX_TOUCHED: Final = 500


@dataclass(frozen=True, slots=True)
class Activity:
    """One write."""

    uid: str
    at: datetime
    actor: str
    verb: str
    reason: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    targets: tuple[str, ...] = ()
    """What it was about, as `kind:key`, at most `MAX_TOUCHED`."""


def record(tx: Transaction, activity: Activity, touched: Sequence[str] = ()) -> None:
    """Write `activity` in the transaction of its effect, bound to the documents `touched`."""
    properties: dict[str, Any] = {
        "at": activity.at,
        "actor": activity.actor,
        "verb": activity.verb,
        "reason": activity.reason,
        "counts": json.dumps(dict(activity.counts), sort_keys=True),
        "targets": list(activity.targets[:MAX_TOUCHED]),
    }
    tx.run(
        "journal/put",
        uid=activity.uid,
        properties=properties,
        touched=list(touched[:MAX_TOUCHED]),
    )


def entries(
    graph: Graph,
    *,
    verb: str | None = None,
    actor: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> tuple[Activity, ...]:
    """Return activities, newest first; `before` is the uid of the last one seen."""
    rows = graph.read("journal/list", verb=verb, actor=actor, before=before, limit=limit)
    return tuple(_activity(row["activity"]) for row in rows)


def _activity(row: Row) -> Activity:
    return Activity(
        uid=row["uid"],
        at=row["at"],
        actor=row["actor"],
        verb=row["verb"],
        reason=row["reason"],
        counts=json.loads(row["counts"]),
        targets=tuple(row["targets"]),
    )
