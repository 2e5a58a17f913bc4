// purpose: how many jobs of each kind there are in each state but done
// params: none
// returns: kind, state, number
CYPHER 25
MATCH (j:Queued|Waiting|Running|Failed)
RETURN j.kind AS kind, j.state AS state, count(*) AS number ORDER BY kind, state
