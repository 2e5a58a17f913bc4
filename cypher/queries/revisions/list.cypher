// purpose: the earlier texts of a memory or a block, newest first
// params: $of
// returns: revision
CYPHER 25
MATCH (r:Revision {of: $of})
RETURN r {.*} AS revision ORDER BY r.number DESC, r.uid DESC
