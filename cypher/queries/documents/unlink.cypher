// purpose: take away what is derived from a document's earlier text: its order of chunks, rule triples
// params: $uids
// returns: entities (uids of the authors that it had)
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document {uid: uid})
CALL (d) { MATCH (d)-[:HAS_CHUNK]->(:Chunk)-[n:NEXT]->() DELETE n }
CALL (d) {
  MATCH (d)-[a:AUTHORED_BY]->(e:Entity) WHERE a.document_uid = d.uid
  DELETE a
  RETURN collect(e.uid) AS authors
}
CALL (d) {
  MATCH (d)-[r:REPLIES_TO|IN_THREAD|ATTACHMENT_OF]-() WHERE r.document_uid = d.uid DELETE r
}
RETURN authors AS entities
