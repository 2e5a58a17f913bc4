// purpose: what makes the documents of late warm that have jobs in the queue: searches that returned them, memories
// params: $since $limit (of searches)
// returns: document, mtime, trust, hits (moments), memories, jobs [{uid, rank}]
//   index: search_event_at
CYPHER 25
MATCH (e:SearchEvent) WHERE e.at >= $since
WITH e ORDER BY e.at DESC LIMIT $limit
MATCH (e)-[:RETURNED]->(:Chunk)<-[:HAS_CHUNK]-(d:Document)
WHERE EXISTS { (d)<-[:FOR]-(:Queued) }
WITH d, collect(DISTINCT e.at) AS hits
CALL (d) { MATCH (d)<-[:FOR]-(j:Queued) RETURN collect(j {.uid, .rank}) AS jobs }
RETURN d.uid AS document, d.mtime AS mtime, d.trust AS trust, hits, jobs,
       COUNT { (d)<-[:SUPPORTED_BY]-(:Memory) } AS memories
