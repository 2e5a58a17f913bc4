// purpose: how much of a memory there is anywhere
// params: $uid
// returns: chunks, vectors, evidence, revisions, searches, jobs, facts; no row = it is gone
CYPHER 25
MATCH (d:Document:Memory {uid: $uid})
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN collect(c) AS pieces, reduce(all = '', part IN collect(c.text) | all + part) AS text
}
CALL (d, text) {
  OPTIONAL MATCH (r:Revision {of: d.uid})
  RETURN count(r) AS revisions, [text] + collect(r.text) AS texts
}
CALL (pieces) {
  UNWIND pieces AS c
  MATCH (m:EmbeddingModel) WHERE c['vec_' + m.slug] IS NOT NULL
  RETURN count(*) AS vectors
}
CALL (pieces, texts) {
  // From the chunks, not from the log: it may hold very many searches.
  CALL (pieces, texts) {
    UNWIND pieces AS c
    MATCH (e:SearchEvent)-[:RETURNED]->(c)
    RETURN e
    UNION
    MATCH (e:SearchEvent) WHERE any(t IN texts WHERE e.query CONTAINS t)
    RETURN e
  }
  RETURN count(e) AS searches
}
CALL (pieces) {
  UNWIND pieces AS c
  MATCH (c)<-[:SUPPORTED_BY]-(:Memory)
  RETURN count(*) AS cited
}
RETURN size(pieces) AS chunks, vectors, revisions, searches,
       cited + COUNT { (d)-[:SUPPORTED_BY]-() } AS evidence, COUNT { (d)<-[:FOR]-(:Job) } AS jobs,
       COUNT { (d)-[:STATES]->(:Fact) } AS facts
