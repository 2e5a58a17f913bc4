// purpose: which of these ids are memories
// params: $uids
// returns: uid
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document:Memory {uid: uid})
RETURN d.uid AS uid
