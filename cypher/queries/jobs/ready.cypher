// purpose: how many jobs of these kinds may be claimed now
// params: $kinds
// returns: number
// index: queued_kind_rank
CYPHER 25
MATCH (j:Queued) WHERE j.kind IN $kinds
RETURN count(*) AS number
