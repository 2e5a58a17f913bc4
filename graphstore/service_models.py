"""Models of what accompanies documents: earlier texts, core memory, jobs, models, runs and logs.

Stated for neomodel as in `models`, and for the same uses.
"""

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
    StructuredNode,
    StructuredRel,
)


class Returned(StructuredRel):
    """Where a search ranked what it returned."""

    rank = IntegerProperty()
    lane = StringProperty()


class Revision(StructuredNode):
    """What a memory or a block of core memory said before it was changed."""

    uid = StringProperty(unique_index=True)
    of = StringProperty()
    number = IntegerProperty()
    text = StringProperty()
    title = StringProperty()
    is_titled = BooleanProperty()
    tags = ArrayProperty(StringProperty())
    subjects = ArrayProperty(StringProperty())
    kind = StringProperty()
    importance = FloatProperty()
    confidence = FloatProperty()
    class_ = StringProperty(db_property="class")
    trust = StringProperty()
    origin = StringProperty()
    client = StringProperty()
    confirmed = BooleanProperty()
    tier = StringProperty()
    expires_at = DateTimeNeo4jFormatProperty()
    at = DateTimeNeo4jFormatProperty()
    actor = StringProperty()


class CoreBlock(StructuredNode):
    """A block of core memory."""

    name = StringProperty(unique_index=True)
    text = StringProperty()
    revision = IntegerProperty()
    updated_at = DateTimeNeo4jFormatProperty()
    actor = StringProperty()
    changed_by = StringProperty()


class Job(StructuredNode):
    """Work for a document; one that is done has none of the further labels."""

    __optional_labels__: ClassVar[list[str]] = ["Queued", "Waiting", "Running", "Failed"]

    uid = StringProperty(unique_index=True)
    dedup_key = StringProperty(unique_index=True)
    kind = StringProperty()
    scope = StringProperty()
    state = StringProperty()
    rank = IntegerProperty()
    attempts = IntegerProperty()
    deferrals = IntegerProperty()
    content_sha256 = StringProperty()
    worker = StringProperty()
    token = StringProperty()
    error = StringProperty()
    lease_until = DateTimeNeo4jFormatProperty()
    run_after = DateTimeNeo4jFormatProperty()
    created_at = DateTimeNeo4jFormatProperty()
    finished_at = DateTimeNeo4jFormatProperty()

    for_ = RelationshipTo("graphstore.models.Document", "FOR")


class EmbeddingModel(StructuredNode):
    """A model that owns a vector property and its indexes."""

    name = StringProperty(unique_index=True)
    slug = StringProperty(unique_index=True)
    provider = StringProperty()
    dimensions = IntegerProperty()
    fingerprint = StringProperty()
    state = StringProperty()
    error = StringProperty()
    created_at = DateTimeNeo4jFormatProperty()


class IngestRun(StructuredNode):
    """A run over a source."""

    uid = StringProperty(unique_index=True)
    source = StringProperty()
    actor = StringProperty()
    state = StringProperty()
    worker = StringProperty()
    message = StringProperty()
    started_at = DateTimeNeo4jFormatProperty()
    finished_at = DateTimeNeo4jFormatProperty()


class Outcome(StructuredNode):
    """What became of a file."""

    key = StringProperty(unique_index=True)
    source = StringProperty()
    path = StringProperty()
    state = StringProperty()
    reason = StringProperty()
    stat = StringProperty()
    file_sha256 = StringProperty()
    documents = IntegerProperty()
    chunks = IntegerProperty()
    retries = IntegerProperty()
    run_uid = StringProperty()
    at = DateTimeNeo4jFormatProperty()


class Activity(StructuredNode):
    """A write, in the log; it outlives what it touched."""

    uid = StringProperty(unique_index=True)
    at = DateTimeNeo4jFormatProperty()
    actor = StringProperty()
    verb = StringProperty()
    reason = StringProperty()
    counts = StringProperty()
    targets = ArrayProperty(StringProperty())

    touched = RelationshipTo("graphstore.models.Document", "TOUCHED")


class SearchEvent(StructuredNode):
    """A search, in the local log."""

    uid = StringProperty(unique_index=True)
    at = DateTimeNeo4jFormatProperty()
    surface = StringProperty()
    client = StringProperty()
    query = StringProperty()
    filters = StringProperty()
    hit_count = IntegerProperty()
    low_confidence = BooleanProperty()
    top_score = FloatProperty()

    returned = RelationshipTo("graphstore.models.Chunk", "RETURNED", model=Returned)


class GraphVersion(StructuredNode):
    """The counter that stamps every write and numbers what is projected."""

    name = StringProperty(unique_index=True)
    version = IntegerProperty()
    next_ix = IntegerProperty()


class SchemaVersion(StructuredNode):
    """A migration that was applied."""

    version = IntegerProperty(unique_index=True)
    name = StringProperty()
    checksum = StringProperty()
    applied_at = DateTimeNeo4jFormatProperty()


class SchemaLock(StructuredNode):
    """The node that whoever migrates holds."""

    name = StringProperty(unique_index=True)
    held = BooleanProperty()
