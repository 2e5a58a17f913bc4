// purpose: ingest runs, newest first
// params: $source (null = all) $limit
// returns: run
CYPHER 25
MATCH (r:IngestRun) WHERE $source IS NULL OR r.source = $source
RETURN r {.*} AS run ORDER BY r.started_at DESC, r.uid DESC LIMIT $limit
