// purpose: what the documents of these chunks say about them
// params: $uids (of chunks)
// returns: uid, document, mtime, source, class, trust, is_memory, status, expires_at, confirmed, tier, is_pending
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})<-[:HAS_CHUNK]-(d:Document)
RETURN c.uid AS uid, d.uid AS document, d.mtime AS mtime, d.source AS source, d.class AS class,
       d.trust AS trust, d:Memory AS is_memory, d.status AS status, d.expires_at AS expires_at,
       d.confirmed AS confirmed, d.tier AS tier, c:Unembedded AS is_pending
