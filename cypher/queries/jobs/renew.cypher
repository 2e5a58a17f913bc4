// purpose: prolong the lease of a job that is still held
// params: $uid $token $lease_s
// returns: uid; no row = the lease is lost
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Running AND j.token = $token
SET j.lease_until = datetime.realtime() + duration({seconds: $lease_s})
RETURN j.uid AS uid
