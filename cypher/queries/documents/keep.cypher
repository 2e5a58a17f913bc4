// purpose: move documents with their chunks to the source of kept documents; address, uid and vectors stay
// params: $uids $slug $source_key (of that source) $root (of the source that they came from) $version
// returns: documents, chunks
CYPHER 25
UNWIND $uids AS uid
MATCH (k:Source {slug: $slug})
MATCH (d:Document {uid: uid})
CALL (d) { MATCH (d)-[old:FROM]->() DELETE old }
CREATE (d)-[:FROM]->(k)
// A memory gives up its place in the store: another may say the same there.
SET d.source = $slug, d.kept_from = $root, d.stamp = $version, d.store_key = null
WITH d
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  SET c.source = $slug, c.source_key = $source_key, c.stamp = $version
  RETURN count(c) AS chunks
}
RETURN count(d) AS documents, coalesce(sum(chunks), 0) AS chunks
