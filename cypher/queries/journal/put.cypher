// purpose: record a write in the activity log, bound to what it touched
// params: $uid $properties $touched (uids of documents)
// returns: nothing
CYPHER 25
MERGE (a:Activity {uid: $uid}) SET a += $properties
WITH a
UNWIND $touched AS uid
MATCH (d:Document {uid: uid})
MERGE (a)-[:TOUCHED]->(d)
