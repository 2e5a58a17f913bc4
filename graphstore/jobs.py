"""Jobs: work to be done later, one node each. Nothing takes them up yet; they wait."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphstore.session import Transaction

SOON: Final = 1
"""Priority of what somebody waits for; lower comes first."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work for one document."""

    uid: str
    kind: str
    document_uid: str
    content_sha256: str
    """Of the text that the work is about: a result for another text is of no use."""

    @property
    def dedup_key(self) -> str:
        """What is the same for the same work; while it waits there is one job of it."""
        return f"{self.kind}:{self.document_uid}:{self.content_sha256}"


def enqueue(tx: Transaction, job: Job, now: datetime) -> str:
    """Put a job into the queue, unless it waits there already; return the uid of the one there."""
    properties = {
        "uid": job.uid,
        "kind": job.kind,
        "scope": "document",
        "content_sha256": job.content_sha256,
    }
    rows = tx.run(
        "jobs/enqueue",
        document=job.document_uid,
        dedup_key=job.dedup_key,
        job=properties,
        priority=SOON,
        now=now,
    )
    return str(rows[0]["uid"])
