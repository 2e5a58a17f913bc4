// purpose: documents that hold another number of chunks than they say
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)
WHERE d.chunks IS NULL OR d.chunks <> COUNT { (d)-[:HAS_CHUNK]->(:Chunk) }
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
