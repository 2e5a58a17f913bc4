// purpose: remove documents with their chunks
// params: $uids
// returns: documents, chunks, entities (lists of the authors that they had), messages, threads
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document {uid: uid})
CALL (d) { OPTIONAL MATCH (d)-[:AUTHORED_BY]->(e:Entity) RETURN collect(e.uid) AS authors }
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  DETACH DELETE c
  RETURN count(c) AS gone
}
WITH d, d.message_id AS message, d.thread_key AS thread, authors, gone
DETACH DELETE d
RETURN count(*) AS documents, coalesce(sum(gone), 0) AS chunks, collect(authors) AS entities,
       collect(DISTINCT message) AS messages, collect(DISTINCT thread) AS threads
