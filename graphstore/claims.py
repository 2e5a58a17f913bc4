"""Claims: a job is taken by one worker at a time, and its effect is written once.

A worker claims a job for a minute and renews that while it works. Its result is written in the
transaction that finishes the job, whose first statement is the fence: when the lease is lost to
another worker, nothing is written. No transaction is open while a job is worked on. Leases and
waits go by the clock of the database.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graphstore import journal
from graphstore.clock import Chance
from graphstore.errors import LeaseLost
from graphstore.journal import Activity
from graphstore.session import Graph, Row, Transaction

LEASE_S: Final = 60
RENEW_S: Final = 20.0
"""Seconds after which a worker renews its lease: two may be lost before it runs out."""
MAX_ATTEMPTS: Final = 5
MAX_ERROR: Final = 300
"""Characters of an error that are kept with a job."""
_PLACES: Final = 8
"""Among so many of the first jobs a worker looks that lost a race for the first."""
_BATCH: Final = 100

Effect = Callable[[Transaction, Row], Mapping[str, int]]
"""Writes a result within a transaction, given the stamp of what it writes {now, version}; returns
how much of what it wrote. It may run again, and is idempotent."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a worker holds."""

    uid: str
    kind: str
    content_sha256: str
    """Of the text that it is about."""
    attempts: int
    """Which attempt this is, from 1 on."""
    deferrals: int
    """How often it was put off."""
    token: str
    """What proves that the lease is still this worker's."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims."""

    worker: str
    lease_s: int = LEASE_S


def claim(
    graph: Graph, claimant: Claimant, kinds: tuple[str, ...], token: str, chance: Chance
) -> Claim | None:
    """Take the job that comes first of these kinds; None = none of them is ready.

    `token` is new for every claim. Of several workers that want the same job one gets it; the
    others look a few places behind it.
    """
    skip = 0
    tries: list[int] = []

    def work(tx: Transaction) -> list[Row]:
        tries.append(skip)
        if len(tries) > 1 and (taken := tx.run("jobs/claimed", token=token)):
            # The reply to an earlier commit of this very claim was lost.
            return [{"is_mine": True, **taken[0]}]
        return tx.run(
            "jobs/claim",
            kinds=list(kinds),
            skip=skip,
            worker=claimant.worker,
            token=token,
            lease_s=claimant.lease_s,
        )

    while kinds:
        rows = graph.write(work)
        if rows and rows[0]["is_mine"]:
            return _claim(rows[0]["job"], token)
        if not rows and not skip:
            return None
        skip = int(chance() * _PLACES) if rows else 0
    return None


def renew(graph: Graph, claim: Claim, lease_s: int = LEASE_S) -> None:
    """Hold a job for longer.

    Raises:
        LeaseLost: it is another's by now, or gone.
    """
    if not graph.write(
        lambda tx: tx.run("jobs/renew", uid=claim.uid, token=claim.token, lease_s=lease_s)
    ):
        raise _lost(claim)


def finish(
    graph: Graph, claim: Claim, effect: Effect, log: Activity, now: datetime
) -> Activity | None:
    """Write a result and end its job, both or neither; return `log` with what was written.

    None = the document is gone or says something else by now: nothing was written, and the job is
    no more. Jobs that share a log are one entry.

    Raises:
        LeaseLost: the job is another's by now, or gone; nothing was written.
    """

    def work(tx: Transaction) -> Activity | None:
        fence = tx.run("jobs/fence", uid=claim.uid, token=claim.token, now=now)
        if not fence or not (fence[0]["is_mine"] or fence[0]["was_mine"]):
            raise _lost(claim)
        # From here to the commit nobody else writes documents: what is read now stays so.
        version = tx.run("graph/advance", count=0)[0]["version"]
        about = tx.run("jobs/subject", uid=claim.uid)
        if not about or about[0]["content_sha256"] != claim.content_sha256:
            tx.run("jobs/discard", uid=claim.uid, token=claim.token)
            return None
        counts = effect(tx, {"now": now, "version": version})
        counted = _counted(log, claim, counts, str(about[0]["uid"]))
        journal.record(tx, counted, [about[0]["uid"]])
        return counted

    return graph.write(work)


def discard(graph: Graph, claim: Claim) -> None:
    """Remove a job whose document is gone or says something else by now."""
    graph.write(lambda tx: tx.run("jobs/discard", uid=claim.uid, token=claim.token))


def release(graph: Graph, claim: Claim) -> None:
    """Give a job back as it was claimed; the attempt does not count."""
    graph.write(lambda tx: tx.run("jobs/release", uid=claim.uid, token=claim.token))


def defer(graph: Graph, claim: Claim, delay_s: float, error: str, *, counts: bool) -> None:
    """Have a job wait; `counts` says whether this was one of its attempts."""
    graph.write(
        lambda tx: tx.run(
            "jobs/defer",
            uid=claim.uid,
            token=claim.token,
            delay_s=delay_s,
            given_back=0 if counts else 1,
            error=error[:MAX_ERROR],
        )
    )


def fail(graph: Graph, claim: Claim, error: str, now: datetime) -> None:
    """Give a job up, until somebody has it tried again."""
    graph.write(
        lambda tx: tx.run(
            "jobs/fail", uid=claim.uid, token=claim.token, error=error[:MAX_ERROR], now=now
        )
    )


def tidy(graph: Graph, now: datetime) -> int:
    """Queue what is due and what dead workers held; return how many jobs moved."""
    return _all(graph, "jobs/due") + _all(graph, "jobs/reclaim", most=MAX_ATTEMPTS, now=now)


def subject(graph: Graph, claim: Claim) -> str | None:
    """Return the uid of a job's document; None when it is gone or says something else by now."""
    rows = graph.read("jobs/subject", uid=claim.uid)
    is_same = bool(rows) and rows[0]["content_sha256"] == claim.content_sha256
    return str(rows[0]["uid"]) if is_same else None


def _all(graph: Graph, statement: str, **arguments: object) -> int:
    total, moved = 0, _BATCH
    while moved == _BATCH:
        rows = graph.write(lambda tx: tx.run(statement, limit=_BATCH, **arguments))
        moved = int(rows[0]["moved"])
        total += moved
    return total


def _counted(log: Activity, claim: Claim, counts: Mapping[str, int], document: str) -> Activity:
    total = Counter(log.counts) + Counter({f"{claim.kind} jobs": 1, **counts})
    targets = (*log.targets, f"document:{document}")
    return replace(log, counts=dict(total), targets=targets[: journal.MAX_TOUCHED])


def _claim(row: Row, token: str) -> Claim:
    return Claim(
        uid=row["uid"],
        kind=row["kind"],
        content_sha256=row["content_sha256"],
        attempts=row["attempts"],
        deferrals=row["deferrals"],
        token=token,
    )


def _lost(claim: Claim) -> LeaseLost:
    message = f"The job {claim.uid} is no longer this worker's."
    return LeaseLost(message, hint="Nothing was written; whoever has it writes the result.")
