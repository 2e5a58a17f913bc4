// purpose: give a job back as it was claimed: it was stopped, and loses no attempt
// params: $uid $token
// returns: uid; no row = the lease is lost, or it was given back before
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Running AND j.token = $token
REMOVE j:Running, j.lease_until
SET j:Queued, j.state = 'queued', j.attempts = j.attempts - 1
RETURN j.uid AS uid
