// Sources, documents, chunks, authors, ingest runs, the search log and the activity log.
CREATE CONSTRAINT source_slug IF NOT EXISTS FOR (n:Source) REQUIRE n.slug IS UNIQUE;
CREATE CONSTRAINT document_uid IF NOT EXISTS FOR (n:Document) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT document_uri IF NOT EXISTS FOR (n:Document) REQUIRE n.uri IS UNIQUE;
CREATE CONSTRAINT chunk_uid IF NOT EXISTS FOR (n:Chunk) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_kind_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.kind, n.key) IS UNIQUE;
CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (n:Alias) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT identity_key IF NOT EXISTS FOR (n:Identity) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT predicate_name IF NOT EXISTS FOR (n:Predicate) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT embedding_model_name IF NOT EXISTS FOR (n:EmbeddingModel) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT embedding_model_slug IF NOT EXISTS FOR (n:EmbeddingModel) REQUIRE n.slug IS UNIQUE;
CREATE CONSTRAINT ingest_run_uid IF NOT EXISTS FOR (n:IngestRun) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT outcome_key IF NOT EXISTS FOR (n:Outcome) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT activity_uid IF NOT EXISTS FOR (n:Activity) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT search_event_uid IF NOT EXISTS FOR (n:SearchEvent) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT graph_version_name IF NOT EXISTS FOR (n:GraphVersion) REQUIRE n.name IS UNIQUE;
CREATE INDEX document_message_id IF NOT EXISTS FOR (n:Document) ON (n.message_id);
CREATE INDEX document_in_reply_to IF NOT EXISTS FOR (n:Document) ON (n.in_reply_to);
CREATE INDEX document_thread_key IF NOT EXISTS FOR (n:Document) ON (n.thread_key);
CREATE INDEX document_place IF NOT EXISTS FOR (n:Document) ON (n.source, n.path);
CREATE INDEX document_mtime IF NOT EXISTS FOR (n:Document) ON (n.mtime);
CREATE INDEX outcome_source IF NOT EXISTS FOR (n:Outcome) ON (n.source);
CREATE INDEX activity_at IF NOT EXISTS FOR (n:Activity) ON (n.at);
CREATE INDEX search_event_at IF NOT EXISTS FOR (n:SearchEvent) ON (n.at);
CREATE INDEX ingest_run_started IF NOT EXISTS FOR (n:IngestRun) ON (n.started_at);
CREATE FULLTEXT INDEX ft_chunk IF NOT EXISTS FOR (n:Chunk)
ON EACH [n.text, n.context, n.identifiers, n.source_key, n.class_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
