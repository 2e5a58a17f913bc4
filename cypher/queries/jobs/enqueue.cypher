// purpose: put jobs for documents into the queue; one that is pending under the same key only moves forward
// params: $rows [{document, dedup_key, rank, job {uid, kind, scope, content_sha256}}], in order of dedup_key; $now
// returns: uid (of the job that is pending), dedup_key
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.document})
MERGE (j:Job {dedup_key: row.dedup_key})
  ON CREATE SET j:Queued, j += row.job, j.state = 'queued', j.attempts = 0, j.deferrals = 0,
    j.created_at = $now, j.rank = row.rank
  ON MATCH SET j.rank = CASE WHEN row.rank < j.rank THEN row.rank ELSE j.rank END
MERGE (j)-[:FOR]->(d)
RETURN j.uid AS uid, row.dedup_key AS dedup_key
