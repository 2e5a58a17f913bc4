// purpose: one job
// params: $uid
// returns: job, document
CYPHER 25
MATCH (j:Job {uid: $uid})
OPTIONAL MATCH (j)-[:FOR]->(d:Document)
RETURN j {.uid, .kind, .state, .attempts, .rank, .created_at, .run_after, .lease_until, .finished_at, .error,
          .worker, .content_sha256} AS job,
       d {.uid, .uri, .title} AS document
