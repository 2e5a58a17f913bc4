// purpose: what a document states as far as is known now
// params: $document $open (the end of what has not ended)
// returns: uid, fact_sha256
CYPHER 25
MATCH (:Document {uid: $document})-[:STATES]->(f:Fact) WHERE f.invalidated_at = $open
RETURN f.uid AS uid, f.fact_sha256 AS fact_sha256
