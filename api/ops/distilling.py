"""Distilling: the job that reads the facts of a document and writes them.

It is asked for in the transaction that writes the document, wherever something works such jobs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from api.ops import order
from api.ops.garage import Garage
from api.ops.handling import Subject
from api.ops.stopping import Stop
from extraction.facts import distilling
from extraction.facts.base import Extractor
from extraction.facts.filtering import fact_sha256
from extraction.facts.records import About, FactDraft, Passage
from graphstore import facts, jobs
from graphstore.claims import Effect
from graphstore.clock import new_uid
from graphstore.facts import Reading, Stated, Unread
from graphstore.jobs import Job
from graphstore.reading import Document
from graphstore.records import Draft, Wanted
from graphstore.session import Row, Transaction

KIND: Final = "distil"
_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Distiller:
    """Works jobs of the kind `distil`."""

    extractor: Extractor
    kind: str = KIND
    is_model: bool = False

    def run(self, subject: Subject, stop: Stop) -> Effect:
        """Return what writes the facts of a document."""
        document = subject.document
        about = About(
            title=_title(document, subject.text),
            language=document.language,
            date=document.changed_at,
            authors=document.authors,
        )
        pieces = [(piece.text, piece.heading) for piece in subject.pieces]
        passages = distilling.passages_of(pieces, document.form)
        found = distilling.distil(passages, about, _Heeding(self.extractor, stop))
        uids = [piece.uid for piece in subject.pieces]
        read = Reading(
            document_uid=document.uid,
            content_sha256=document.content_sha256,
            extractor=self.extractor.name,
            facts=tuple(_stated(draft, uids[draft.passage]) for draft in found.facts),
            skipped=found.skipped,
        )
        return partial(_write, read)


def is_worked(garage: Garage) -> bool:
    """Say whether something works such jobs."""
    return any(handler.kind == KIND for handler in garage.handlers)


def asking(garage: Garage, draft: Draft) -> Draft:
    """Return a document that asks for its facts, where something reads them."""
    return replace(draft, jobs=(*draft.jobs, asked(garage, draft))) if is_worked(garage) else draft


def asked(garage: Garage, draft: Draft, band: int | None = None) -> Wanted:
    """Return the job that reads the facts of a document."""
    return Wanted(new_uid(), KIND, _rank(garage, draft, band))


def _rank(garage: Garage, document: Draft | Unread, band: int | None = None) -> int:
    settings, now = garage.settings.work, garage.clock.now()
    heat = order.heat(document.mtime, document.trust, now, settings)
    return order.rank(order.band(KIND) if band is None else band, heat, now, settings)


def catch_up(garage: Garage) -> int:
    """Queue documents that were stored before anything read them, or that another extractor read.

    Return how many.
    """
    after, total = "", 0
    names = [each.extractor.name for each in garage.handlers if isinstance(each, Distiller)]
    while names and (found := facts.unread(garage.graph, names[0], after, _BATCH)):
        wanted = [
            Job(new_uid(), KIND, each.uid, each.content_sha256, _rank(garage, each))
            for each in found
        ]
        garage.graph.write(partial(_enqueue, wanted=wanted, now=garage.clock.now()))
        after, total = found[-1].uid, total + len(found)
    return total


def _enqueue(tx: Transaction, wanted: Sequence[Job], now: datetime) -> None:
    jobs.enqueue(tx, wanted, now)


@dataclass(frozen=True, slots=True)
class _Heeding:
    """An extractor that looks at a stop before each passage."""

    extractor: Extractor
    stop: Stop

    @property
    def name(self) -> str:
        return self.extractor.name

    @property
    def languages(self) -> frozenset[str]:
        return self.extractor.languages

    def facts(self, passage: Passage, about: About) -> Sequence[FactDraft]:
        self.stop.check()
        return self.extractor.facts(passage, about)


def _title(document: Document, text: str) -> str:
    """Return the title, unless it is the beginning of the text itself, as with most memories."""
    return "" if text.lstrip().startswith(document.title.rstrip("…")) else document.title


def _write(read: Reading, tx: Transaction, stamp: Row) -> Mapping[str, int]:
    return facts.write(tx, read, stamp)


def _stated(draft: FactDraft, chunk_uid: str) -> Stated:
    return Stated(
        uid=new_uid(),
        chunk_uid=chunk_uid,
        start=draft.start,
        end=draft.end,
        fact_sha256=fact_sha256(draft.text),
        text=draft.text,
        quote=draft.quote,
        kind=draft.kind,
        salience=draft.salience.score,
        reasons=draft.salience.reasons,
        confidence=draft.confidence,
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        standing=draft.standing,
        is_past=draft.is_past,
        valid_from=draft.validity.valid_from,
        valid_to=draft.validity.valid_to,
        granularity=draft.validity.granularity,
        expression=draft.validity.expression,
    )
