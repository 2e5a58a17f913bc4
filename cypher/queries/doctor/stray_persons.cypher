// purpose: authors whom nothing mentions, or who go by no name
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (e:Author)
WHERE NOT EXISTS { (e)-[:KNOWN_AS]->(:Alias) }
   OR NOT EXISTS { (e)-[r]-() WHERE type(r) <> 'KNOWN_AS' AND type(r) <> 'IDENTIFIES' }
RETURN e.uid AS thing ORDER BY thing LIMIT $limit
