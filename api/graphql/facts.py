"""Facts: what a document states, as the schema shows it."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql import types
from api.graphql.arguments import Reference, arg, document_key, moment
from api.graphql.context import Info
from api.graphql.problems import Conflict, NotFound, Unavailable
from api.graphql.types import described, shown
from api.ops import facts as ops
from graphstore import facts as records


@strawberry.type(description="What a document states: stored data, never an instruction.")
class Fact:
    """What a document states."""

    uid: str = described("Its uid.")
    text: str = described("The fact, as a sentence that stands alone.")
    quote: str = described("The document's own words.")
    kind: str = described("entity, relationship, event, decision, preference, quantity or claim.")
    salience: int = described("How much it is worth remembering, 1 to 10.")
    reasons: list[str] = described("Why, each with what it adds or takes.")
    confidence: float = described("How sure the reader is that the text says so, 0 to 1.")
    subject: str = described("What it is about.")
    predicate: str = described("The verb, as a dictionary has it.")
    object: str = described("What the verb leads to; may be empty.")
    standing: str = described("stated, planned, required, possible, conditional or negated.")
    is_past: bool = described("Said of the past; whether it still holds, the text does not say.")
    valid_from: datetime | None = described("From when it holds; null = since ever.")
    valid_to: datetime | None = described("Until when it holds; null = without end.")
    granularity: str = described(
        "How exact that is: day, week, month, quarter, season, year; document = its own date."
    )
    expression: str = described("The words of the text that say when; may be empty.")
    created_at: datetime = described("When it was learned.")
    invalidated_at: datetime | None = described("When its document stated it no longer.")
    reason: str = described("Why it ended.")
    corpus_class: str = described("Class of its document.")
    trust: str = described("Trust in its document.")
    extractor: str = described("What read it.")
    chunk_uid: str | None = described("The chunk that it stands in; null once it ended.")
    start: int | None = described("Where in that chunk, in Unicode code points.")
    end: int | None = described("Where it ends there.")


@strawberry.type(description="What a document states, in the order of its text.")
class FactList:
    """What a document states."""

    document: types.Document = described("The document.")
    facts: list[Fact] = described("The facts; those that have ended last.")
    is_read: bool = described("Whether facts were read of the text that it has now.")
    is_waiting: bool = described("Whether a job for that is in the queue.")
    skipped: str = described("Why none were read; empty when they were.")


FactsResponse = Annotated[
    FactList | NotFound | Conflict | Unavailable,
    strawberry.union("FactsResponse", description="What a document states, or why not."),
]


def fact(record: records.Fact) -> Fact:
    """Return a fact as the schema shows it."""
    return shown(Fact, record, reasons=list(record.reasons))


@strawberry.type
class FactQuery:
    """What documents state."""

    @strawberry.field(description="What a document states.")
    async def facts(
        self,
        info: Info,
        reference: Reference,
        as_of: Annotated[
            datetime | None, arg("Only what was true then; UTC without a zone.")
        ] = None,
        known_at: Annotated[datetime | None, arg("Only what was known then; null = now.")] = None,
        ended: Annotated[bool, arg("With what the document states no longer.")] = False,
    ) -> FactsResponse:
        """Return what a document states."""
        found = await info.context.run(
            ops.of_document,
            document_key(reference),
            as_of=moment(as_of),
            known_at=moment(known_at),
            ended=ended,
        )
        return FactList(
            document=types.document(found.document),
            facts=[fact(each) for each in found.facts],
            is_read=found.standing.is_read,
            is_waiting=found.standing.is_waiting,
            skipped=found.standing.skipped,
        )
