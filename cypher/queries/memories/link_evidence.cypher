// purpose: bind a memory to the documents and chunks that it rests on
// params: $uid $documents $chunks (uids)
// returns: nothing
CYPHER 25
MATCH (m:Document:Memory {uid: $uid})
CALL (m) {
  UNWIND $documents AS uid
  MATCH (d:Document {uid: uid})
  MERGE (m)-[r:SUPPORTED_BY]->(d) SET r.kind = 'document'
}
CALL (m) {
  UNWIND $chunks AS uid
  MATCH (c:Chunk {uid: uid})
  MERGE (m)-[r:SUPPORTED_BY]->(c) SET r.kind = 'chunk'
}
