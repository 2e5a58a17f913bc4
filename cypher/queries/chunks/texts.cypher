// purpose: the words of passages: their texts with what stands around them
// params: $uids
// returns: uid, text
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
RETURN c.uid AS uid, c.context + ' ' + c.text AS text
