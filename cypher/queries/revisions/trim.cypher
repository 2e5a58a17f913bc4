// purpose: let the oldest texts of a memory or a block go, so that $keep stay
// params: $of $keep
// returns: removed
CYPHER 25
MATCH (r:Revision {of: $of})
WITH r ORDER BY r.number DESC, r.uid DESC SKIP $keep
DETACH DELETE r
RETURN count(*) AS removed
