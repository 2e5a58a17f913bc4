// purpose: jobs of one state, or of several, in the order of work, after a cursor
// params: $$label (of the states) $kind (null = all) $after_rank $after_uid (-1 and '' = from the first) $limit
// returns: job, document
CYPHER 25
MATCH (j:$$label)
WHERE j.rank >= $after_rank AND (j.rank > $after_rank OR j.uid > $after_uid)
  AND ($kind IS NULL OR j.kind = $kind)
WITH j ORDER BY j.rank, j.uid LIMIT $limit
OPTIONAL MATCH (j)-[:FOR]->(d:Document)
RETURN j {.uid, .kind, .state, .attempts, .rank, .created_at, .run_after, .lease_until, .finished_at, .error,
          .worker, .content_sha256} AS job,
       d {.uid, .uri, .title} AS document
ORDER BY job.rank, job.uid
