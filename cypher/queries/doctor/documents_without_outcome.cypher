// purpose: documents of files of which no outcome tells, but for kept ones; none while a run is on
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)-[:FROM]->(s:Source)
// What was written to a store is no file.
WHERE d.kept_from IS NULL AND NOT s.root IN ['memory://', 'inbox://'] AND NOT EXISTS { (:Outcome {key: d.source + ':' + d.path}) }
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
