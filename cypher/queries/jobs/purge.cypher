// purpose: forget jobs that were done before a moment, a batch at a time
// params: $before $limit
// returns: removed
//   index: job_finished
CYPHER 25
MATCH (j:Job) WHERE j.finished_at < $before AND j.state = 'done'
WITH j LIMIT $limit
DETACH DELETE j
RETURN count(*) AS removed
