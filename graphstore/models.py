"""Models: the kinds of node and relationship once more, stated for neomodel.

For diagrams, for reading in notebooks and for a test that holds this statement against a real
graph. Nothing is written through it: the truth is `cypher/schema`, and every write and search runs
a file of `cypher/queries`. Importing it reads no environment and opens no connection. What an
embedding model owns (`vec_…`, `embed_error_…`) and the counts of a run (`count_…`) are not listed.
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

from graphstore.service_models import (
    Activity,
    CoreBlock,
    EmbeddingModel,
    GraphVersion,
    IngestRun,
    Job,
    Outcome,
    Revision,
    SchemaLock,
    SchemaVersion,
    SearchEvent,
)


class Triple(StructuredRel):
    """A statement: an edge of a registered predicate. Unique by `uid` within its type."""

    uid = StringProperty()
    predicate = StringProperty()
    assigned_by = StringProperty()
    confidence = FloatProperty()
    document_uid = StringProperty()
    class_ = StringProperty(db_property="class")
    trust = StringProperty()
    created_at = DateTimeNeo4jFormatProperty()
    valid_from = DateTimeNeo4jFormatProperty()
    valid_to = DateTimeNeo4jFormatProperty()
    invalidated_at = DateTimeNeo4jFormatProperty()
    stamp = IntegerProperty()


class KnownAs(StructuredRel):
    """Why an entity goes by a name."""

    rule = StringProperty()
    score = FloatProperty()
    created_at = DateTimeNeo4jFormatProperty()


class Supported(StructuredRel):
    """What a memory rests on."""

    kind = StringProperty()


class Source(StructuredNode):
    """A place that documents come from."""

    slug = StringProperty(unique_index=True)
    kind = StringProperty()
    root = StringProperty()
    default_class = StringProperty()
    default_trust = StringProperty()
    ignore = ArrayProperty(StringProperty())
    patterns = ArrayProperty(StringProperty())
    tags = ArrayProperty(StringProperty())
    standing = StringProperty()
    removing = BooleanProperty()
    keeping = BooleanProperty()
    removed_documents = IntegerProperty()
    removed_chunks = IntegerProperty()
    kept_documents = IntegerProperty()
    kept_chunks = IntegerProperty()
    created_at = DateTimeNeo4jFormatProperty()


class Document(StructuredNode):
    """What was read from a file or a part of one, or was handed over."""

    uid = StringProperty(unique_index=True)
    uri = StringProperty(unique_index=True)
    ix = IntegerProperty()
    source = StringProperty()
    kept_from = StringProperty()
    path = StringProperty()
    title = StringProperty()
    mime = StringProperty()
    form = StringProperty()
    language = StringProperty()
    class_ = StringProperty(db_property="class")
    trust = StringProperty()
    content_sha256 = StringProperty()
    bytes = IntegerProperty()
    characters = IntegerProperty()
    tokens = IntegerProperty()
    chunks = IntegerProperty()
    message_id = StringProperty()
    in_reply_to = StringProperty()
    thread_key = StringProperty()
    kind = StringProperty()
    client = StringProperty()
    subjects = ArrayProperty(StringProperty())
    category = StringProperty()
    distilled_by = StringProperty()
    distilled_sha256 = StringProperty()
    distil_skipped = StringProperty()
    mtime = DateTimeNeo4jFormatProperty()
    created_at = DateTimeNeo4jFormatProperty()
    updated_at = DateTimeNeo4jFormatProperty()
    stamp = IntegerProperty()

    from_source = RelationshipTo("Source", "FROM")
    has_chunk = RelationshipTo("Chunk", "HAS_CHUNK")
    states = RelationshipTo("Fact", "STATES")
    authored_by = RelationshipTo("Author", "AUTHORED_BY", model=Triple)
    replies_to = RelationshipTo("Document", "REPLIES_TO", model=Triple)
    in_thread = RelationshipTo("Document", "IN_THREAD", model=Triple)
    attachment_of = RelationshipTo("Document", "ATTACHMENT_OF", model=Triple)


class Memory(Document):
    """What somebody wants remembered: a document of a store, or a memory file."""

    origin = StringProperty()
    tags = ArrayProperty(StringProperty())
    importance = FloatProperty()
    confidence = FloatProperty()
    confirmed = BooleanProperty()
    tier = StringProperty()
    is_titled = BooleanProperty()
    status = StringProperty()
    store_key = StringProperty(unique_index=True)
    revision = IntegerProperty()
    changed_by = StringProperty()
    recall_count = IntegerProperty()
    recall_days = IntegerProperty()
    recalled_by = StringProperty()
    last_recalled_at = DateTimeNeo4jFormatProperty()
    rehearsed_at = DateTimeNeo4jFormatProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    expires_at = DateTimeNeo4jFormatProperty()

    # Or to a chunk.
    supported_by = RelationshipTo("Document", "SUPPORTED_BY", model=Supported)


class Chunk(StructuredNode):
    """A piece of a document; `Unembedded` while it waits for a vector."""

    __optional_labels__: ClassVar[list[str]] = ["Unembedded"]

    uid = StringProperty(unique_index=True)
    ix = IntegerProperty()
    document_uid = StringProperty()
    ordinal = IntegerProperty()
    start = IntegerProperty()
    end = IntegerProperty()
    text = StringProperty()
    context = StringProperty()
    context_source = StringProperty()
    heading = StringProperty()
    identifiers = StringProperty()
    tokens = IntegerProperty()
    content_sha256 = StringProperty()
    class_ = StringProperty(db_property="class")
    trust = StringProperty()
    source = StringProperty()
    category = StringProperty()
    source_key = StringProperty()
    class_key = StringProperty()
    embed_attempts = IntegerProperty()
    created_at = DateTimeNeo4jFormatProperty()
    stamp = IntegerProperty()

    next = RelationshipTo("Chunk", "NEXT")


class Grounded(StructuredRel):
    """Where a fact's words stand in a chunk."""

    start = IntegerProperty()
    end = IntegerProperty()


class Fact(StructuredNode):
    """What a document states."""

    uid = StringProperty(unique_index=True)
    level = IntegerProperty()
    status = StringProperty()
    text = StringProperty()
    quote = StringProperty()
    fact_sha256 = StringProperty()
    kind = StringProperty()
    salience = IntegerProperty()
    reasons = ArrayProperty(StringProperty())
    confidence = FloatProperty()
    subject = StringProperty()
    predicate = StringProperty()
    object = StringProperty()
    standing = StringProperty()
    is_past = BooleanProperty()
    granularity = StringProperty()
    expression = StringProperty()
    extractor = StringProperty()
    class_ = StringProperty(db_property="class")
    trust = StringProperty()
    source = StringProperty()
    valid_from = DateTimeNeo4jFormatProperty()
    valid_to = DateTimeNeo4jFormatProperty()
    created_at = DateTimeNeo4jFormatProperty()
    invalidated_at = DateTimeNeo4jFormatProperty()
    reason = StringProperty()
    stamp = IntegerProperty()

    grounded_in = RelationshipTo("Chunk", "GROUNDED_IN", model=Grounded)


class Entity(StructuredNode):
    """A person or thing that texts speak of."""

    uid = StringProperty(unique_index=True)
    ix = IntegerProperty()
    kind = StringProperty()
    key = StringProperty()
    name = StringProperty()
    class_ = StringProperty(db_property="class")
    created_at = DateTimeNeo4jFormatProperty()
    stamp = IntegerProperty()

    known_as = RelationshipTo("Alias", "KNOWN_AS", model=KnownAs)


class Author(Entity):
    """A person who wrote something."""

    is_self = BooleanProperty()


class Alias(StructuredNode):
    """A name that entities go by."""

    key = StringProperty(unique_index=True)
    text = StringProperty()


class Identity(StructuredNode):
    """An address or handle that belongs to exactly one entity."""

    key = StringProperty(unique_index=True)

    identifies = RelationshipTo("Entity", "IDENTIFIES")


class Predicate(StructuredNode):
    """A kind of statement: one row of the predicate table."""

    name = StringProperty(unique_index=True)
    definition = StringProperty()
    functional = BooleanProperty()
    builtin = BooleanProperty()


NODES = (
    Source, Document, Memory, Revision, CoreBlock, Job, Chunk, Fact, Entity, Author, Alias,
    Identity, Predicate, EmbeddingModel, IngestRun, Outcome, Activity, SearchEvent, GraphVersion,
    SchemaVersion, SchemaLock,
)  # fmt: skip
"""Every kind of node that there is."""
