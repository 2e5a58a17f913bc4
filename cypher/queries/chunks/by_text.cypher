// purpose: the full-text lane, with the documents of what it finds
// params: $query (escaped Lucene) $k
// returns: found [{uid, score (unbounded), document, changed_s, source, class, trust, vectors (slugs of models), memory (null when it is none)}], best first
CYPHER 25
CALL db.index.fulltext.queryNodes('ft_chunk', $query, {limit: $k}) YIELD node AS c, score
MATCH (c)<-[:HAS_CHUNK]-(d:Document)
WITH c, d, score ORDER BY score DESC, c.content_sha256
RETURN collect({uid: c.uid, score: score, document: d.uid, changed_s: d.mtime.epochSeconds,
                source: d.source, class: d.class, trust: d.trust,
                vectors: [key IN keys(c) WHERE key STARTS WITH 'vec_' | substring(key, 4)],
                memory: CASE WHEN d:Memory THEN d {
                  .status, .confirmed, .tier, expires_s: d.expires_at.epochSeconds} END}) AS found
