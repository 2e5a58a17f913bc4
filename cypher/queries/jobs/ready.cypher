// purpose: how many jobs of these kinds may be claimed now
// params: $kinds
// returns: number
//   index: queued_kind_rank
CYPHER 25
UNWIND $kinds AS kind
CALL (kind) {
  MATCH (j:Queued) WHERE j.kind = kind AND j.rank >= 0
  RETURN count(*) AS of_kind
}
RETURN coalesce(sum(of_kind), 0) AS number
