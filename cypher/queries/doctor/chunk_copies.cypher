// purpose: chunks whose copies of class, trust or source differ from those of their document
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk)
WHERE c.class <> d.class OR c.trust <> d.trust OR c.source <> d.source
   OR c.class IS NULL OR c.trust IS NULL OR c.source IS NULL
RETURN c.uid AS thing ORDER BY thing LIMIT $limit
