// purpose: documents whose chunks are not chained one after the other, each to the next, once
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk)
WITH d, c,
     COUNT { (c)-[:NEXT]->() } AS leaving,
     COUNT { (c)-[:NEXT]->(n:Chunk) WHERE n.document_uid = d.uid AND n.ordinal = c.ordinal + 1 } AS good
WITH d, sum(leaving) AS leaving, sum(good) AS good, count(c) AS chunks
WHERE leaving <> chunks - 1 OR good <> chunks - 1
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
