// purpose: record how an ingest run stands
// params: $uid $properties
// returns: nothing
CYPHER 25
MERGE (r:IngestRun {uid: $uid}) SET r += $properties
