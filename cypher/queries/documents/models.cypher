// purpose: the models that hold all vectors of a document, and those that lack some
// params: $uid
// returns: embedded, pending (slugs)
CYPHER 25
MATCH (d:Document {uid: $uid})
CALL (d) {
  MATCH (m:EmbeddingModel) WHERE m.state <> 'retired'
  WITH m ORDER BY m.slug
  WITH m.slug AS slug, NOT EXISTS {
    MATCH (d)-[:HAS_CHUNK]->(c:Chunk) WHERE c['vec_' + m.slug] IS NULL
  } AS whole
  RETURN collect(CASE WHEN whole THEN slug END) AS embedded,
         collect(CASE WHEN NOT whole THEN slug END) AS pending
}
RETURN embedded, pending
