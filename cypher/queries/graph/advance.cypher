// purpose: take the next graph version and a run of `ix` numbers; locks out other writers until commit
// params: $count
// returns: version, ix (the first of $count numbers)
CYPHER 25
MERGE (g:GraphVersion {name: 'graph'})
  ON CREATE SET g.version = 0, g.next_ix = 0
SET g._lock = true REMOVE g._lock
SET g.version = g.version + 1, g.next_ix = g.next_ix + $count
RETURN g.version AS version, g.next_ix - $count AS ix
