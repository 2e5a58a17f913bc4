// purpose: remove chunks whose text is gone; memories that rest on one rest on its document from then on
// params: $uids
// returns: removed
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
CALL (c) {
  MATCH (m:Memory)-[:SUPPORTED_BY]->(c)<-[:HAS_CHUNK]-(d:Document)
  MERGE (m)-[r:SUPPORTED_BY]->(d) SET r.kind = 'document'
}
DETACH DELETE c
RETURN count(*) AS removed
