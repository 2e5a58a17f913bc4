// purpose: the vector lane over the chunks of some documents, scored one by one
// params: $vector $k $documents (uids); $$property
// returns: uid, score (raw cosine, best first)
CYPHER 25
UNWIND $documents AS uid
MATCH (:Document {uid: uid})-[:HAS_CHUNK]->(c:Chunk) WHERE c.$$property IS NOT NULL
WITH c, vector.similarity.cosine(c.$$property, $vector) AS s
RETURN c.uid AS uid, 2 * s - 1 AS score ORDER BY score DESC, c.content_sha256 LIMIT $k
