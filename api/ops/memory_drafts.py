"""Drafts of memories: from what somebody says to what is stored, with its words for search.

Who wrote a text decides its trust: the owner's word is as the store has it, an assistant's at most
what `memory.agent_trust` allows.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from api.ops import backfill, cutting, distilling
from api.ops import memory_checks as checks
from api.ops.choices import one_of
from api.ops.garage import Caller, Deadline, Garage
from api.ops.memory_requests import ChangeRequest, RememberRequest
from extraction.language import prose_language
from extraction.names import one_line
from graphstore.memories import Kind, Memory, Origin, Revision, Tier
from graphstore.memory_writes import MemoryDraft, Values
from graphstore.privacy import CLASSES, TRUST_TIERS, least_trusted
from graphstore.records import STORE, Draft
from graphstore.sources import Defaults

USUAL_IMPORTANCE: Final = 0.5
_DERIVED_TITLE: Final = 80
"""Characters of a title that is made from the first line."""
_PROGRAMS_CONFIDENCE: Final = 0.7
_MARKUP: Final = "#*_>`-+ \t"
_EMBED_S: Final = 10.0
"""Seconds that a write waits for vectors; what is left, the worker embeds."""


@dataclass(frozen=True, slots=True)
class Said:
    """All that is said of a memory, checked."""

    text: str
    title: str
    """Empty = none was given."""
    tags: tuple[str, ...]
    subjects: tuple[str, ...]
    kind: Kind
    importance: float
    expires_at: datetime | None
    corpus_class: str
    trust: str
    origin: Origin
    client: str
    confirmed: bool
    confidence: float
    tier: Tier
    evidence: tuple[str, ...] = ()


def said(garage: Garage, caller: Caller, request: RememberRequest, store: Defaults) -> Said:
    """Return what a request says, with what the store and its writer add.

    Raises:
        InvalidInput: an argument is outside its limits.
        TooLarge: the text is too long for a memory.
    """
    trust = request.trust or store.trust
    one_of("trust", trust, TRUST_TIERS)
    importance = USUAL_IMPORTANCE if request.importance is None else request.importance
    mine = Said(
        text=checks.text(request.text),
        title=checks.title(request.title),
        tags=checks.labels("tags", request.tags),
        subjects=checks.labels("subjects", request.subjects),
        kind=one_of("kind", request.kind, checks.KINDS),
        importance=checks.importance(importance),
        expires_at=checks.expiry(request.expires_at, garage.clock.now()),
        corpus_class=one_of("class", request.corpus_class or store.corpus_class, CLASSES),
        trust=trust,
        origin="user",
        client=caller.name,
        confirmed=True,
        confidence=1.0,
        tier="long",
        evidence=checks.evidence(request.evidence),
    )
    return mine if caller.is_owner else _of_a_program(garage, caller, mine)


def as_said(memory: Memory) -> Said:
    """Return what a memory says now."""
    return Said(
        text=memory.text,
        title=memory.title if memory.is_titled else "",
        tags=memory.tags,
        subjects=memory.subjects,
        kind=memory.kind,
        importance=memory.importance,
        expires_at=memory.expires_at,
        corpus_class=memory.corpus_class,
        trust=memory.trust,
        origin=memory.origin,
        client=memory.client,
        confirmed=memory.confirmed,
        confidence=memory.confidence,
        tier=memory.tier,
    )


def changed(garage: Garage, memory: Memory, request: ChangeRequest, caller: Caller) -> Said:
    """Return what a memory is to say after a change.

    Whoever changes its text or its title is who says it from then on.

    Raises:
        InvalidInput: an argument is outside its limits.
        TooLarge: the text is too long for a memory.
    """
    now = as_said(memory)
    then = replace(
        now,
        text=now.text if request.text is None else checks.text(request.text),
        title=now.title if request.title is None else checks.title(request.title),
        tags=now.tags if request.tags is None else checks.labels("tags", request.tags),
        subjects=now.subjects
        if request.subjects is None
        else checks.labels("subjects", request.subjects),
        kind=one_of("kind", request.kind or now.kind, checks.KINDS),
        importance=checks.importance(
            now.importance if request.importance is None else request.importance
        ),
        expires_at=_expiry(garage, now, request),
    )
    if (then.text, then.title) == (now.text, now.title):
        return then
    return _by(garage, caller, then)


def earlier(garage: Garage, memory: Memory, revision: Revision, caller: Caller) -> Said:
    """Return what a memory said at a revision; said by whom it was then, if the owner asks."""
    then = replace(
        as_said(memory),
        text=revision.text,
        title=revision.title if revision.is_titled else "",
        tags=revision.tags,
        subjects=revision.subjects,
        kind=revision.kind,
        importance=revision.importance,
        expires_at=revision.expires_at,
        trust=revision.trust,
        origin=revision.origin,
        client=revision.client,
        confirmed=revision.confirmed,
        confidence=revision.confidence,
        tier=revision.tier,
    )
    return then if caller.is_owner else _by(garage, caller, then)


def confirmed(memory: Memory) -> Said:
    """Return what a memory says, as the owner's word."""
    return replace(
        as_said(memory), confirmed=True, trust=TRUST_TIERS[0], tier="long", confidence=1.0
    )


def draft(garage: Garage, what: Said, uid: str) -> MemoryDraft:
    """Return a memory as it is to be stored, cut into chunks."""
    given = what.text.encode()
    found = Draft(
        uri=f"{STORE}{uid}",
        path=uid,
        title=what.title or first_line(what.text),
        text=what.text,
        form="markdown",
        mime="text/markdown",
        language=prose_language(what.text),
        corpus_class=what.corpus_class,
        trust=what.trust,
        content_sha256=sha256(given).hexdigest(),
        bytes=len(given),
        mtime=garage.clock.now(),
        uid=uid,
        labels=(*what.tags, *what.subjects),
    )
    values = Values(
        kind=what.kind,
        origin=what.origin,
        client=what.client,
        tags=what.tags,
        subjects=what.subjects,
        importance=what.importance,
        confidence=what.confidence,
        confirmed=what.confirmed,
        tier=what.tier,
        is_titled=bool(what.title),
        expires_at=what.expires_at,
    )
    asked = distilling.asking(garage, found)
    return MemoryDraft(asked, cutting.cut(garage, asked), values, what.evidence)


def embed(garage: Garage, uid: str, at_most_s: float = _EMBED_S) -> tuple[str, ...]:
    """Embed what is new of a document under every model; return why something is pending."""
    done = backfill.fill_documents(garage, [uid], Deadline(at_most_s))
    notes = [f"{each.slug}: {each.error}" for each in done if each.error]
    refused = [f"{each.slug}: gives no vector of this text" for each in done if each.refused]
    return (*notes, *refused)


def _by(garage: Garage, caller: Caller, what: Said) -> Said:
    if caller.is_owner:
        mine = replace(what, origin="user", client=caller.name, confirmed=True)
        return replace(mine, confidence=1.0, tier="long")
    return _of_a_program(garage, caller, what)


def _of_a_program(garage: Garage, caller: Caller, what: Said) -> Said:
    return replace(
        what,
        trust=least_trusted([what.trust, garage.settings.memory.agent_trust]),
        origin="dream" if caller.surface == "service" else "agent",
        client=caller.name,
        confirmed=False,
        confidence=_PROGRAMS_CONFIDENCE,
        tier="short",
    )


def _expiry(garage: Garage, now: Said, request: ChangeRequest) -> datetime | None:
    if request.expires_at is not None:
        return checks.expiry(request.expires_at, garage.clock.now())
    return None if request.never_expires else now.expires_at


def first_line(text: str) -> str:
    """Return the first line of a text as a title, without markup and whole words if it can."""
    lines = (one_line(line.strip(_MARKUP)) for line in text.splitlines())
    first = next((line for line in lines if line), one_line(text))
    if len(first) <= _DERIVED_TITLE:
        return first
    return f"{whole_words(first, _DERIVED_TITLE - 1)}…"


def whole_words(text: str, most: int) -> str:
    """Return the beginning of a text, `most` characters at the most, up to a blank if it can."""
    beginning = text[:most]
    return beginning.rpartition(" ")[0] or beginning
