// purpose: remove the facts of documents that go
// params: $documents (uids)
// returns: removed
CYPHER 25
UNWIND $documents AS uid
MATCH (:Document {uid: uid})-[:STATES]->(f:Fact)
DETACH DELETE f
RETURN count(*) AS removed
