// purpose: the vector lane over the chunks of some documents, scored one by one
// params: $vector $k $documents (uids); $$property
// returns: found [{uid, score (raw cosine), document, changed_s, source, class, trust, memory (null when it is none)}], best first
CYPHER 25
UNWIND $documents AS uid
MATCH (d:Document {uid: uid})-[:HAS_CHUNK]->(c:Chunk) WHERE c.$$property IS NOT NULL
WITH c, d, 2 * vector.similarity.cosine(c.$$property, $vector) - 1 AS score
ORDER BY score DESC, c.content_sha256 LIMIT $k
RETURN collect({uid: c.uid, score: score, document: d.uid, changed_s: d.mtime.epochSeconds,
                source: d.source, class: d.class, trust: d.trust, memory: CASE WHEN d:Memory THEN d {
                  .status, .confirmed, .tier, expires_s: d.expires_at.epochSeconds} END}) AS found
