// purpose: have facts be as restricted and as trusted as their document is now, and of its source
// params: $documents (uids) $version
// returns: nothing
CYPHER 25
UNWIND $documents AS uid
MATCH (d:Document {uid: uid})-[:STATES]->(f:Fact)
WHERE f.class <> d.class OR f.trust <> d.trust OR f.source <> d.source
SET f.class = d.class, f.trust = d.trust, f.source = d.source, f.stamp = $version
