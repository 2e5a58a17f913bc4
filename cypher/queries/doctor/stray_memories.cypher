// purpose: memories that are less restricted than what they rest on, that no store can find by their text, or that have no standing
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (m:Memory)-[:FROM]->(s:Source)
OPTIONAL MATCH (m)-[:SUPPORTED_BY]->(e)
WITH m, s, collect(e.class) AS classes
WHERE m.class <> 'communication' AND 'communication' IN classes
   OR s.root = 'memory://' AND m.status = 'active'
      AND coalesce(m.store_key, '') <> s.slug + ':' + m.content_sha256
   OR m.status IS NULL OR m.origin IS NULL OR m.revision IS NULL OR m.recall_count IS NULL
RETURN m.uri AS thing ORDER BY thing LIMIT $limit
