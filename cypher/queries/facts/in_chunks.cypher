// purpose: facts that stand in chunks that are about to go
// params: $uids (of chunks)
// returns: uid, document, quote
CYPHER 25
UNWIND $uids AS chunk
MATCH (:Chunk {uid: chunk})<-[:GROUNDED_IN]-(f:Fact)<-[:STATES]-(d:Document)
RETURN f.uid AS uid, d.uid AS document, f.quote AS quote
ORDER BY uid
