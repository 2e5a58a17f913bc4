// purpose: documents of files of which no outcome tells, but for kept ones; none while a run is on
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)
WHERE d.kept_from IS NULL AND NOT EXISTS { (:Outcome {key: d.source + ':' + d.path}) }
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
