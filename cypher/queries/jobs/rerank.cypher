// purpose: move jobs within the queue
// params: $rows [{uid, rank}], in order of uid
// returns: moved
CYPHER 25
runtime=slotted
UNWIND $rows AS row
MATCH (j:Job {uid: row.uid})
SET j._lock = true REMOVE j._lock
WITH j, row WHERE j:Queued AND row.rank < j.rank
SET j.rank = row.rank
RETURN count(*) AS moved
