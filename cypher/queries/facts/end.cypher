// purpose: end facts that their document states no longer; their words stay with them as a quote
// params: $uids $reason $open $now $version
// returns: ended
CYPHER 25
UNWIND $uids AS uid
MATCH (f:Fact {uid: uid}) WHERE f.invalidated_at = $open
SET f.invalidated_at = $now, f.reason = $reason, f.stamp = $version
WITH f
CALL (f) { MATCH (f)-[g:GROUNDED_IN]->() DELETE g }
RETURN count(f) AS ended
