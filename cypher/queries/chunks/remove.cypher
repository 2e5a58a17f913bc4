// purpose: remove chunks of an edited document
// params: $uids
// returns: removed
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
DETACH DELETE c
RETURN count(*) AS removed
