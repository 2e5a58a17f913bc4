// purpose: say of runs that a service left unfinished that they were interrupted
// params: $worker $now
// returns: interrupted
CYPHER 25
MATCH (r:IngestRun {state: 'running'}) WHERE r.worker = $worker
SET r.state = 'interrupted', r.finished_at = $now
RETURN count(r) AS interrupted
