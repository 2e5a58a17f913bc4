// purpose: first statement of the transaction that writes a job's result: the job is done with it, or nothing is
// params: $uid $token $now
// returns: is_mine (the lease holds), was_mine (an earlier attempt of this very transaction did it)
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock               // lock first, then read
WITH j, j:Running AND j.token = $token AS is_mine, j.state = 'done' AND j.token = $token AS was_mine
CALL (j, is_mine) {
  WITH j WHERE is_mine
  REMOVE j:Running, j.dedup_key, j.lease_until
  SET j.state = 'done', j.finished_at = $now
}
RETURN is_mine, was_mine
