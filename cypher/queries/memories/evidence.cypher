// purpose: what references of evidence mean: a document by uid or address, or a chunk
// params: $references
// returns: reference, kind, uid, class
CYPHER 25
UNWIND $references AS reference
CALL (reference) {
  MATCH (d:Document {uid: reference}) RETURN 'document' AS kind, d.uid AS uid, d.class AS class
  UNION
  MATCH (d:Document {uri: reference}) RETURN 'document' AS kind, d.uid AS uid, d.class AS class
  UNION
  MATCH (c:Chunk {uid: reference})<-[:HAS_CHUNK]-(d:Document)
  RETURN 'chunk' AS kind, c.uid AS uid, d.class AS class
}
RETURN reference, kind, uid, class
