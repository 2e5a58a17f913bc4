// purpose: put a job for a document into the queue, unless one of this key waits there
// params: $document $dedup_key $job {uid, kind, scope, content_sha256} $priority $now
// returns: uid
CYPHER 25
MATCH (d:Document {uid: $document})
MERGE (j:Job {dedup_key: $dedup_key})
  ON CREATE SET j:Queued, j += $job, j.state = 'queued', j.attempts = 0, j.created_at = $now,
    j.rank = $priority * 1000000000000 + $now.epochMillis
MERGE (j)-[:FOR]->(d)
RETURN j.uid AS uid
