// purpose: the document that a job is for, as it is now
// params: $uid (of the job)
// returns: uid, content_sha256; no row = it is gone
CYPHER 25
MATCH (:Job {uid: $uid})-[:FOR]->(d:Document)
RETURN d.uid AS uid, d.content_sha256 AS content_sha256
