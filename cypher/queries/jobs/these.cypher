// purpose: the jobs of these uids
// params: $uids
// returns: uid, kind, state, content_sha256, document
CYPHER 25
UNWIND $uids AS uid
MATCH (j:Job {uid: uid})
OPTIONAL MATCH (j)-[:FOR]->(d:Document)
RETURN j.uid AS uid, j.kind AS kind, j.state AS state, j.content_sha256 AS content_sha256, d.uid AS document
ORDER BY uid
