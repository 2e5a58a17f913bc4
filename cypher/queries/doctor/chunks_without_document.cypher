// purpose: chunks that belong to no document, or to several, or not to the one that they name
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (c:Chunk)
WHERE COUNT { (c)<-[:HAS_CHUNK]-(:Document) } <> 1
   OR NOT EXISTS { (c)<-[:HAS_CHUNK]-(d:Document) WHERE d.uid = c.document_uid }
RETURN c.uid AS thing ORDER BY thing LIMIT $limit
