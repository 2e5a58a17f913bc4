"""Settings of the operations. `api.settings` fills them; defaults here are the shipped ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from annotated_types import Interval

from graphstore.limits import OneOf
from graphstore.privacy import CLASSES, TRUST_TIERS

MAX_HITS: Final = 100
"""Hits that one search may be asked for."""

MEMORY: Final = "memory"
"""What memories are weighed as."""

DEFAULT_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "vector": {**dict.fromkeys((*CLASSES, MEMORY), 1.0)},
    "fulltext": {"document": 0.2, "communication": 1.0, "code": 1.0, "reference": 0.2, MEMORY: 1.0},
    "recency": {
        **{"document": 0.01, "communication": 0.02, "code": 0.01, "reference": 0.0},
        MEMORY: 0.02,
    },
}
"""Weight of a lane for a hit of a class, normalised to a sum of 1 per class.

A memory is weighed as one, whatever its class: it is short, and said in words like a question's.
"""

_Lane = Annotated[str, OneOf(tuple(DEFAULT_WEIGHTS))]
_Class = Annotated[str, OneOf((*CLASSES, MEMORY))]
_Weight = Annotated[float, Interval(ge=0, le=1_000)]


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files become documents."""

    max_chunks_per_document: Annotated[int, Interval(ge=1, le=1_000_000)] = 20_000
    """Chunks that one document may have; a larger one is not stored and says so."""
    chunks_per_transaction: Annotated[int, Interval(ge=1, le=20_000)] = 500
    """Small documents share a transaction up to so many chunks, each whole or absent."""
    vanished_share: Annotated[float, Interval(ge=0, le=1)] = 0.9
    """When this share of a source's files is gone at once, a run asks before it removes them."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How search ranks, and what it remembers."""

    limit: Annotated[int, Interval(ge=1, le=MAX_HITS)] = 10
    """Hits that a search returns when the caller does not say."""
    lane_k: Annotated[int, Interval(ge=1, le=10_000)] = 100
    """Hits that each lane contributes."""
    rrf_k: Annotated[int, Interval(ge=1, le=10_000)] = 60
    """The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)."""
    min_lane_hits: Annotated[int, Interval(ge=0, le=1_000)] = 3
    """A lane with fewer hits is dropped, unless none has more."""
    weights: Mapping[_Lane, Mapping[_Class, _Weight]] = field(
        default_factory=lambda: DEFAULT_WEIGHTS
    )
    """Weight of each lane by class of text: lane → class → weight."""
    log_enabled: bool = True
    """Whether searches are logged on this machine."""
    log_retention_days: Annotated[int, Interval(ge=0, le=36_500)] = 90
    """Days that a logged search is kept."""


@dataclass(frozen=True, slots=True)
class MaintenanceSettings:
    """What the service does by itself."""

    interval_minutes: Annotated[float, Interval(ge=0, le=525_600)] = 30.0
    """Minutes between two rounds of scan, ingest and backfill; 0 = never."""
    embed_batch: Annotated[int, Interval(ge=1, le=5_000)] = 200
    """Vectors written in one transaction."""
    retry_s: Annotated[float, Interval(ge=0.1, le=86_400)] = 30.0
    """Seconds until a failed embedder is asked again."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How memories are trusted, recalled and forgotten."""

    agent_trust: Annotated[str, OneOf(TRUST_TIERS)] = "authored"
    """Trust in what an assistant has remembered; it may ask for less, never for more."""
    writes_per_minute: Annotated[int, Interval(ge=0, le=1_000_000)] = 120
    """Memories and texts that one client may hand over in a minute; 0 = any number."""
    revisions: Annotated[int, Interval(ge=1, le=1_000)] = 20
    """Earlier texts of a memory that are kept for its history and for undo."""
    stability_days: Annotated[float, Interval(ge=0.01, le=36_500)] = 7.0
    """Days after which a memory that was never recalled is down to 37 % (S0)."""
    stability_growth: Annotated[float, Interval(ge=1, le=100)] = 1.6
    """How much longer a memory lasts after each recall."""
    archive_below: Annotated[float, Interval(ge=0, le=1)] = 0.05
    """Retention below which an unimportant memory is archived."""
    archive_importance: Annotated[float, Interval(ge=0, le=1)] = 0.3
    """Importance from which on a memory is never archived for its age."""
    owner_decays: bool = False
    """Whether what you wrote or confirmed fades, too."""
    short_weight: Annotated[float, Interval(ge=0, le=1)] = 0.985
    """Weight of what an assistant wrote until it proves useful: 0.985 puts it behind its equals."""
    promote_heat: Annotated[float, Interval(ge=0, le=1_000)] = 1.5
    """Heat from which on such a memory has full weight: recalled on two days, by default."""
    distil_timeout_s: Annotated[float, Interval(ge=0, le=3_600)] = 60.0
    """Seconds that a text handed over may be worked on at once; the rest is queued."""


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """How the queue is worked, and in which order."""

    facts: bool = True
    """Whether facts are read out of what is stored."""
    budget_s: Annotated[float, Interval(ge=0, le=86_400)] = 180.0
    """Seconds of work on the queue in each round of maintenance; 0 = only when asked for."""
    workers: Annotated[int, Interval(ge=1, le=32)] = 2
    """Jobs that are worked on at the same time."""
    keep_days: Annotated[float, Interval(ge=0, le=36_500)] = 7.0
    """Days that a job which is done is remembered."""
    heat_days: Annotated[float, Interval(ge=0.01, le=36_500)] = 30.0
    """Days in which what makes a document warm is down to 37 %."""
    heat_age: Annotated[float, Interval(gt=0, le=1_000)] = 1.0
    """Warmth of a document that was changed just now; half of it when others wrote it."""
    heat_search: Annotated[float, Interval(ge=0, le=1_000)] = 0.5
    """Warmth by each search that returned it."""
    heat_memory: Annotated[float, Interval(ge=0, le=1_000)] = 1.0
    """Warmth by each memory that rests on it."""


@dataclass(frozen=True, slots=True)
class OpsSettings:
    """All settings of the operations."""

    ingest: IngestSettings = field(default_factory=IngestSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    maintenance: MaintenanceSettings = field(default_factory=MaintenanceSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    work: WorkSettings = field(default_factory=WorkSettings)
