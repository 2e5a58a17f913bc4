// purpose: remove the earlier texts of things that go
// params: $of (uids)
// returns: removed
CYPHER 25
UNWIND $of AS of
MATCH (r:Revision {of: of})
DETACH DELETE r
RETURN count(*) AS removed
