"""Recall: the memories that answer a question, best first; nothing rather than noise.

score = relevance × (0.5 + importance) × retention. Relevance is that of a search over memories
alone; retention is what the curve of forgetting leaves (`retention`). What a program wrote and
nobody confirmed stands behind the owner's near word, by the bound that `standing` states, and
weighs `memory.short_weight` until it has proved useful.

Every memory that is returned is thereby recalled: counted, and longer remembered.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from api.ops import finding, ranking, retention, standing
from api.ops import memory_checks as checks
from api.ops.choices import one_of
from api.ops.finding import Found
from api.ops.fusion import Fused
from api.ops.garage import Caller, Garage, activity
from api.ops.retention import Counted
from api.ops.search_requests import as_text, require_short
from api.ops.standing import Candidate
from graphstore import lanes, memories, recalls, search_log
from graphstore.clock import new_uid
from graphstore.errors import InvalidInput, Unavailable
from graphstore.lanes import Owner
from graphstore.memories import Memory
from graphstore.recalls import Counters, Wanted
from graphstore.search_log import SearchEvent

MAX_RECALLED: Final = 50
"""Memories that one recall may be asked for."""
_BASE: Final = 0.5
_SETTLED: Final = ("superseded", "resolved", "dismissed")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What is to be recalled."""

    query: str
    kinds: tuple[str, ...] = ()
    """Kinds of memories; empty = all."""
    sources: tuple[str, ...] = ()
    """Slugs of memory sources; empty = all."""
    limit: int = 10
    as_of: datetime | None = None
    """Ask about what was remembered at a moment; None = now."""
    include_archived: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that answers."""

    memory: Memory
    rank: int
    score: float
    relevance: float
    """How well it answers, before importance and retention."""
    retention: float
    passage: str
    """The part of its text that answers."""
    chunk_uid: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """A memory that answers, before it is read."""

    uid: str
    score: float
    retention: float
    best: Fused
    """Its best passage."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer to a recall."""

    query: str
    memories: tuple[Recalled, ...]
    low_confidence: bool
    """Nothing that is remembered answers this; `memories` is empty then."""
    degraded: tuple[str, ...]
    """What could not take part, and why."""
    truncated: bool
    """Whether more answers than were asked for."""


def recall(garage: Garage, caller: Caller, request: RecallRequest) -> RecallResult:
    """Return the memories that answer a question, and count that they were recalled.

    Raises:
        InvalidInput: a kind, the limit or the moment is outside its values.
        TooLarge: the query is longer than a search takes.
    """
    wanted, query = _checked(garage, request), as_text(request.query)
    scope = recalls.scope(garage.graph, wanted)
    found = finding.find(garage, query, scope) if scope else finding.NOTHING
    owners = _owners(garage, found, request)
    is_noise = found.low_confidence and not _is_said_just_now(found, owners)
    fused = () if is_noise else ranking.fused(garage, found.lanes, owners)
    ranked = _ranked(garage, found, _best(_answering(garage, found, fused), owners))
    result = RecallResult(
        query=query,
        memories=_shown(garage, ranked[: request.limit]),
        low_confidence=not ranked,
        degraded=found.degraded,
        truncated=len(ranked) > request.limit,
    )
    _record(garage, caller, request, result)
    return result


def _checked(garage: Garage, request: RecallRequest) -> Wanted:
    if not 1 <= request.limit <= MAX_RECALLED:
        message = f"limit is {request.limit}."
        raise InvalidInput(message, hint=f"Ask for 1 to {MAX_RECALLED} memories.")
    require_short(request.query)
    if request.as_of is not None and request.as_of.tzinfo is None:
        message = f"as_of is {request.as_of.isoformat()}, in no time zone."
        raise InvalidInput(message, hint="Say it with an offset, as in 2027-01-31T12:00:00+01:00.")
    known = [row["slug"] for row in garage.graph.read("memories/sources")]
    return Wanted(
        at=request.as_of or garage.clock.now(),
        kinds=tuple(one_of("kind", each, checks.KINDS) for each in request.kinds),
        sources=tuple(one_of("source", each, known) for each in request.sources),
        include_archived=request.include_archived,
        is_about_now=_is_about_now(request),
    )


def _is_about_now(request: RecallRequest) -> bool:
    return request.as_of is None and not request.include_archived


def _owners(garage: Garage, found: Found, request: RecallRequest) -> dict[str, Owner]:
    """Return the memories of what lanes found, checked again: an index is never the guard."""
    now = garage.clock.now()
    return {
        uid: owner
        for uid, owner in found.owners.items()
        if owner.memory
        and (owner.memory.is_live(now) or not _is_about_now(request))
        and owner.memory.status not in _SETTLED
    }


def _is_said_just_now(found: Found, owners: Mapping[str, Owner]) -> bool:
    """Say whether words find a memory that no vector can: it is not noise for that."""
    words = [item.uid for lane in found.lanes if lane.kind == "fulltext" for item in lane.items[:3]]
    return not ranking.vectorless(found.lanes, owners).isdisjoint(words)


def _answering(garage: Garage, found: Found, fused: Sequence[Fused]) -> list[Fused]:
    """Return what is near the question or says words of it; the rest is noise, and is not recalled.

    A vector lane ranks whatever there is, however far away.
    """
    near, likely = ranking.nearness(garage, found.lanes)
    said = {item.uid for lane in found.lanes if lane.kind == "fulltext" for item in lane.items}
    return [each for each in fused if each.uid in said or near.get(each.uid, -1.0) >= likely]


def _best(fused: Sequence[Fused], owners: Mapping[str, Owner]) -> dict[str, Fused]:
    """Return the best chunk of each memory."""
    best: dict[str, Fused] = {}
    for item in fused:
        best.setdefault(owners[item.uid].document, item)
    return best


def _ranked(garage: Garage, found: Found, best: Mapping[str, Fused]) -> tuple[_Answer, ...]:
    """Return what answers, best first; what is shown of each is read by `_shown`, for the first."""
    now, settings = garage.clock.now(), garage.settings.memory
    there = recalls.counters(garage.graph, list(best))
    kept = {uid: retention.retention(counted(each), now, settings) for uid, each in there.items()}
    near, likely = ranking.nearness(garage, found.lanes)
    candidates = [
        Candidate(
            uid=uid,
            score=best[uid].score * (_BASE + each.importance) * kept[uid],
            nearness=near.get(best[uid].uid),
            is_owners=each.is_owners,
            is_unconfirmed=not each.is_owners,
        )
        for uid, each in there.items()
    ]
    scores = standing.guarded(candidates, likely)
    ordered = sorted(there, key=lambda uid: (-scores[uid], uid))
    return tuple(_Answer(uid, scores[uid], kept[uid], best[uid]) for uid in ordered)


def _shown(garage: Garage, answers: Sequence[_Answer]) -> tuple[Recalled, ...]:
    """Return memories as they are shown; those that are gone by now are left out."""
    there = {
        each.uid: each
        for each in memories.details(garage.graph, [e.uid for e in answers], garage.clock.now())
    }
    rows = lanes.hits(garage.graph, [each.best.uid for each in answers])
    kept = [(each, there[each.uid]) for each in answers if each.uid in there]
    return tuple(
        Recalled(
            memory=memory,
            rank=rank,
            score=round(each.score, 6),
            relevance=round(each.best.score, 6),
            retention=round(each.retention, 4),
            passage=rows[each.best.uid]["text"] if each.best.uid in rows else memory.text,
            chunk_uid=each.best.uid,
        )
        for rank, (each, memory) in enumerate(kept, start=1)
    )


def counted(of: Counters) -> Counted:
    """Return what a memory's retention and heat are computed from."""
    return Counted(
        created_at=of.created_at,
        refreshed_at=of.refreshed_at,
        recalls=of.recalls,
        recall_days=of.recall_days,
        links=of.links,
        importance=of.importance,
        is_owners=of.is_owners,
    )


def _record(garage: Garage, caller: Caller, request: RecallRequest, result: RecallResult) -> None:
    """Count the recalls and log the question, after the answer."""
    event = SearchEvent(
        uid=new_uid(),
        at=garage.clock.now(),
        surface=caller.surface,
        client=caller.name,
        query=result.query,
        filters={
            "recall": True,
            "kinds": request.kinds,
            "sources": request.sources,
            "as_of": request.as_of,
            "include_archived": request.include_archived,
        },
        hit_count=len(result.memories),
        low_confidence=result.low_confidence,
        top_score=result.memories[0].score if result.memories else None,
    )
    with suppress(Unavailable):
        recalls.count(garage.graph, [each.memory.uid for each in result.memories], event)
        archived = [e.memory.uid for e in result.memories if e.memory.status == "archived"]
        log = activity(garage, caller, "restore-memory", "found by a recall")
        recalls.restore(garage.graph, archived, log)
        if garage.settings.search.log_enabled:
            hits = [(each.chunk_uid, each.rank, "recall") for each in result.memories]
            search_log.record(garage.graph, event, hits)
