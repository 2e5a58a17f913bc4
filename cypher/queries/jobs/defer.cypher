// purpose: have a job wait; by the database's clock
// params: $uid $token $delay_s $given_back (1 = the attempt does not count) $error
// returns: uid; no row = the lease is lost, or it waits already
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Running AND j.token = $token
REMOVE j:Running, j.lease_until
SET j:Waiting, j.state = 'waiting', j.error = $error, j.attempts = j.attempts - $given_back,
  j.deferrals = coalesce(j.deferrals, 0) + 1,
  j.run_after = datetime.realtime() + duration({milliseconds: toInteger($delay_s * 1000)})
RETURN j.uid AS uid
