// purpose: give a job up; its key is free for another
// params: $uid $token $error $now
// returns: uid; no row = the lease is lost, or it has failed already
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Running AND j.token = $token
REMOVE j:Running, j.dedup_key, j.lease_until
SET j:Failed, j.state = 'failed', j.error = $error, j.finished_at = $now
RETURN j.uid AS uid
