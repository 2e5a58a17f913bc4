// purpose: remove a claimed job whose document is gone or says something else by now
// params: $uid $token
// returns: removed
CYPHER 25
runtime=slotted
MATCH (j:Job {uid: $uid})
SET j._lock = true REMOVE j._lock
WITH j WHERE j.token = $token AND (j:Running OR j.state = 'done')
DETACH DELETE j
RETURN count(*) AS removed
