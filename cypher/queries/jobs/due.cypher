// purpose: put waiting jobs whose time has come back into the queue
// params: $limit
// returns: moved
//   index: waiting_due
CYPHER 25
runtime=slotted
MATCH (j:Waiting) WHERE j.run_after <= datetime.realtime()
WITH j ORDER BY j.run_after LIMIT $limit
SET j._lock = true REMOVE j._lock
WITH j WHERE j:Waiting AND j.run_after <= datetime.realtime()
REMOVE j:Waiting, j.run_after
SET j:Queued, j.state = 'queued'
RETURN count(*) AS moved
