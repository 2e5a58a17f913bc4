// purpose: take jobs from workers whose lease ran out; one that was tried too often fails
// params: $limit $most (attempts) $now
// returns: moved
//   index: running_lease
CYPHER 25
runtime=slotted
MATCH (j:Running) WHERE j.lease_until < datetime.realtime()
WITH j ORDER BY j.lease_until LIMIT $limit
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Running AND j.lease_until < datetime.realtime()
WITH j, j.attempts >= $most AS is_last
REMOVE j:Running, j.token, j.lease_until
SET j.error = 'Its worker ended, or did not answer for a minute.'
CALL (j, is_last) {
  WITH j WHERE is_last
  REMOVE j.dedup_key
  SET j:Failed, j.state = 'failed', j.finished_at = $now
}
CALL (j, is_last) {
  WITH j WHERE NOT is_last
  SET j:Queued, j.state = 'queued'
}
RETURN count(*) AS moved
