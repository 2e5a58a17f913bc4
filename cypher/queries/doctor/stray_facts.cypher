// purpose: facts of no document, less restricted or more trusted than it, or that stand nowhere in it
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (f:Fact) WHERE f.level = 0
OPTIONAL MATCH (f)<-[:STATES]-(d:Document)
WITH f, d WHERE d IS NULL OR f.class <> d.class OR f.trust <> d.trust OR f.source <> d.source
   OR f.invalidated_at = datetime('9999-12-31T00:00:00Z')
     AND NOT EXISTS { (f)-[:GROUNDED_IN]->(:Chunk)<-[:HAS_CHUNK]-(d) }
RETURN f.uid AS thing ORDER BY thing LIMIT $limit
