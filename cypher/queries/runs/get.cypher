// purpose: one ingest run
// params: $uid
// returns: run
CYPHER 25
MATCH (r:IngestRun {uid: $uid}) RETURN r {.*} AS run
