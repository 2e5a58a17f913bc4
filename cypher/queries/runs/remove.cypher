// purpose: forget the ended runs over a source that is removed
// params: $source
// returns: removed
CYPHER 25
MATCH (r:IngestRun {source: $source}) WHERE r.state <> 'running'
DETACH DELETE r
RETURN count(*) AS removed
