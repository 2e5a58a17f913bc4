// purpose: remove the jobs for documents that go
// params: $targets (uids)
// returns: removed
CYPHER 25
UNWIND $targets AS uid
MATCH (:Document {uid: uid})<-[:FOR]-(j:Job)
DETACH DELETE j
RETURN count(*) AS removed
