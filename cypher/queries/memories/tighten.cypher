// purpose: make memories as restricted as documents that they rest on have become, with chunks, facts and history
// params: $rows [{uid, class}] $classes (most restrictive first) $keys (the token of each class)
// returns: uid, class
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.uid})
CALL (d) {
  MATCH (d)<-[:SUPPORTED_BY]-(m:Memory) RETURN m
  UNION
  MATCH (d)-[:HAS_CHUNK]->(:Chunk)<-[:SUPPORTED_BY]-(m:Memory) RETURN m
}
WITH m, collect(row.class) AS found
WITH m, head([class IN $classes WHERE class = m.class OR class IN found]) AS strict
WHERE strict <> m.class
SET m.class = strict
WITH m, strict
CALL (m, strict) {
  MATCH (m)-[:HAS_CHUNK]->(c:Chunk)
  SET c.class = strict, c.class_key = $keys[strict] + ' ' + split(c.class_key, ' ')[1]
}
CALL (m, strict) {
  MATCH (m)-[:STATES]->(f:Fact) SET f.class = strict
}
CALL (m, strict) {
  MATCH (r:Revision {of: m.uid}) SET r.class = strict
}
RETURN m.uid AS uid, strict AS class
