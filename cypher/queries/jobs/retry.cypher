// purpose: have jobs that failed or wait worked on again; one whose key is pending elsewhere goes
// params: $rows [{uid, dedup_key}], in order of uid
// returns: retried
CYPHER 25
runtime=slotted
UNWIND $rows AS row
MATCH (j:Job {uid: row.uid})
SET j._lock = true REMOVE j._lock
WITH j, row WHERE j:Failed OR j:Waiting
OPTIONAL MATCH (other:Job {dedup_key: row.dedup_key}) WHERE other <> j
CALL (j, other) {
  WITH j WHERE other IS NOT NULL
  DETACH DELETE j
}
CALL (j, row, other) {
  WITH j, row WHERE other IS NULL
  REMOVE j:Failed:Waiting, j.run_after, j.finished_at, j.error
  SET j:Queued, j.state = 'queued', j.attempts = 0, j.deferrals = 0, j.dedup_key = row.dedup_key
}
RETURN count(*) AS retried
