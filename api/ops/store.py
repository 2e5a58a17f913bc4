"""Store: a whole text is handed over and kept as it is, byte for byte.

What is remembered is a thought; what is stored is a document: a conversation, a clipping, a
decision. The same bytes are one document. `distil` says what is to be made of it: `queue` leaves it
to the queue, `now` does what can be done within `memory.distil_timeout_s` and queues the rest,
`none` keeps it and no more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

from api.ops import cutting, distilling, memories, memory_drafts, order
from api.ops import memory_checks as checks
from api.ops.choices import one_of
from api.ops.garage import Caller, Garage, activity
from api.ops.memories import Remembered, RememberRequest
from extraction.language import prose_language
from graphstore import drops, reading
from graphstore.clock import new_uid
from graphstore.documents import Writing
from graphstore.drops import Drop
from graphstore.privacy import CLASSES, TRUST_TIERS, least_trusted
from graphstore.reading import Document
from graphstore.records import DROPS, Draft

MAX_BYTES: Final = 256 * 1024
"""Bytes of a text, as UTF-8."""
Distil = Literal["queue", "now", "none"]
DISTIL: Final[tuple[Distil, ...]] = ("queue", "now", "none")
KINDS: Final[Mapping[str, str]] = {
    "note": "note",
    "conversation": "note",
    "clipping": "note",
    "decision": "decision",
    "reference": "fact",
}
"""Kinds of texts, and the kind of a memory that points at one."""
_OWN_WORDS: Final = frozenset({"note", "decision"})
"""Kinds that whoever hands them over wrote; the others were received."""
_EXCERPT: Final = 1_000
"""Characters of a linked memory."""
_EMBED_S: Final = 2.0
_NO_WORKER: Final = (
    f"Nothing works jobs of the kind '{distilling.KIND}' here; the text is found as it is."
)


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """A text, and what it is."""

    text: str
    title: str = ""
    """Empty = its first line."""
    kind: str = "note"
    """One of `KINDS`."""
    corpus_class: str = ""
    """Empty = document."""
    subjects: tuple[str, ...] = ()
    category: str = ""
    distil: str = "queue"
    remember: bool = False
    """Whether a memory is made that points at it."""


@dataclass(frozen=True, slots=True)
class StoreResult:
    """What became of a text."""

    document: Document
    created: bool
    """False when a document of these very bytes was there."""
    embedded_models: tuple[str, ...]
    pending_models: tuple[str, ...]
    """Models whose vectors follow; until then words find it."""
    job_uid: str | None
    """The job that waits in the queue."""
    memory: Remembered | None
    notes: tuple[str, ...]


def store(garage: Garage, caller: Caller, request: StoreRequest) -> StoreResult:
    """Keep a text as it is, and find it from now on.

    Raises:
        InvalidInput: an argument is outside its limits, or the text is blank or no text.
        TooLarge: it has more than `MAX_BYTES`.
        TooMany: the client's rate is reached; the error says how long to wait.
        Conflict: the inbox is being removed, or its name is taken.
    """
    drop = _drop(garage, caller, request)
    now = garage.clock.now()
    garage.rates.take(caller.name, garage.settings.memory.writes_per_minute, now)
    log = activity(garage, caller, "store-text")
    done = drops.put(garage.graph, drop, Writing(drops.SLUG, "", log, now))
    is_now = request.distil == "now"
    budget_s = garage.settings.memory.distil_timeout_s if is_now else _EMBED_S
    notes = memory_drafts.embed(garage, done.uid, budget_s)
    (document,) = reading.details(garage.graph, [done.uid])
    embedded, pending = reading.models_of(garage.graph, done.uid)
    linked = _linked(garage, caller, request, done.uid) if request.remember else None
    waits = (_waits(garage, done.job_uid),) if done.job_uid else ()
    return StoreResult(
        document, done.created, embedded, pending, done.job_uid, linked, notes + waits
    )


def _drop(garage: Garage, caller: Caller, request: StoreRequest) -> Drop:
    text = checks.verbatim(request.text, MAX_BYTES)
    kind = one_of("kind", request.kind, tuple(KINDS))
    distil = one_of("distil", request.distil, DISTIL)
    subjects = checks.labels("subjects", request.subjects)
    given = text.encode()
    digest = sha256(given).hexdigest()
    draft = Draft(
        uri=f"{DROPS}{digest}",
        path=digest,
        title=checks.title(request.title) or memory_drafts.first_line(text),
        text=text,
        form="markdown",
        mime="text/markdown",
        language=prose_language(text),
        corpus_class=one_of("class", request.corpus_class or "document", CLASSES),
        trust=_trust(garage, caller, kind),
        content_sha256=digest,
        bytes=len(given),
        mtime=garage.clock.now(),
        uid=new_uid(),
        labels=subjects,
    )
    return Drop(
        draft=draft,
        pieces=cutting.cut(garage, draft),
        kind=kind,
        client=caller.name,
        subjects=subjects,
        category=checks.title(request.category),
        job=distilling.asked(garage, draft, order.SOON) if distil != "none" else None,
    )


def _waits(garage: Garage, job_uid: str) -> str:
    rest = "" if distilling.is_worked(garage) else _NO_WORKER
    return f"Job {job_uid} is in the queue. {rest}".rstrip()


def _trust(garage: Garage, caller: Caller, kind: str) -> str:
    own = TRUST_TIERS[0] if kind in _OWN_WORDS else "received"
    allowed = TRUST_TIERS[0] if caller.is_owner else garage.settings.memory.agent_trust
    return least_trusted([own, allowed])


def _linked(garage: Garage, caller: Caller, request: StoreRequest, uid: str) -> Remembered:
    """Make a memory that says how the text begins and rests on it."""
    text = request.text.strip()
    if len(text) > _EXCERPT:
        text = f"{memory_drafts.whole_words(text, _EXCERPT)} …"
    about = RememberRequest(
        text=text,
        title=request.title,
        kind=KINDS[request.kind],
        subjects=request.subjects,
        corpus_class=request.corpus_class,
        evidence=(uid,),
    )
    return memories.remember_uncounted(garage, caller, about)
