// purpose: documents that come from no source, or several, or not from the one that they name
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)
WHERE COUNT { (d)-[:FROM]->(:Source) } <> 1
   OR NOT EXISTS { (d)-[:FROM]->(s:Source) WHERE s.slug = d.source }
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
