// purpose: forget the searches that returned a memory, or that say its text
// params: $uid
// returns: removed
CYPHER 25
MATCH (d:Document:Memory {uid: $uid})
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN collect(c) AS pieces, reduce(all = '', part IN collect(c.text) | all + part) AS text
}
CALL (d, text) {
  OPTIONAL MATCH (r:Revision {of: d.uid})
  RETURN [text] + collect(r.text) AS texts
}
CALL (pieces, texts) {
  UNWIND pieces AS c
  MATCH (e:SearchEvent)-[:RETURNED]->(c)
  RETURN e
  UNION
  MATCH (e:SearchEvent) WHERE any(t IN texts WHERE e.query CONTAINS t)
  RETURN e
}
DETACH DELETE e
RETURN count(*) AS removed
