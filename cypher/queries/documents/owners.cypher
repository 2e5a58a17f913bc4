// purpose: what the documents of these chunks say about them
// params: $uids (of chunks)
// returns: uid, mtime, source, class, trust
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})<-[:HAS_CHUNK]-(d:Document)
RETURN c.uid AS uid, d.mtime AS mtime, d.source AS source, d.class AS class, d.trust AS trust
