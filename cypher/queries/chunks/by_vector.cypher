// purpose: the vector lane, unfiltered, with the documents of what it finds
// params: $vector $k; $$index
// returns: found [{uid, score (raw cosine), document, changed_s, source, class, trust, memory (null when it is none)}], best first
CYPHER 25
MATCH (c:Chunk) SEARCH c IN (VECTOR INDEX $$index FOR $vector LIMIT $k) SCORE AS s
MATCH (c)<-[:HAS_CHUNK]-(d:Document)
WITH c, d, 2 * s - 1 AS score ORDER BY score DESC, c.content_sha256
RETURN collect({uid: c.uid, score: score, document: d.uid, changed_s: d.mtime.epochSeconds,
                source: d.source, class: d.class, trust: d.trust, memory: CASE WHEN d:Memory THEN d {
                  .status, .confirmed, .tier, expires_s: d.expires_at.epochSeconds} END}) AS found
