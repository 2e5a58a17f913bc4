// purpose: the chunks of some documents without this model's vector
// params: $documents (uids) $slug; $$property
// returns: uid, context, text, class, content_sha256
CYPHER 25
UNWIND $documents AS uid
MATCH (:Document {uid: uid})-[:HAS_CHUNK]->(c:Chunk)
WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL
RETURN c.uid AS uid, c.context AS context, c.text AS text, c.class AS class,
       c.content_sha256 AS content_sha256
ORDER BY c.ordinal
