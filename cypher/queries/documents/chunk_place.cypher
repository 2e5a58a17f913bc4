// purpose: where a chunk begins in its document
// params: $uid $chunk (uid)
// returns: start
CYPHER 25
MATCH (:Document {uid: $uid})-[:HAS_CHUNK]->(c:Chunk {uid: $chunk})
RETURN c.start AS start
