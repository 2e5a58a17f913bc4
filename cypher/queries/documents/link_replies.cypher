// purpose: bind messages to those that they answer, whichever came first; of several copies, to one
// params: $ids (of messages) $now $version
// returns: nothing
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (m:Document {message_id: id}) RETURN m
  UNION
  MATCH (m:Document {in_reply_to: id}) RETURN m
}
WITH DISTINCT m
CALL (m) {
  OPTIONAL MATCH (copy:Document {message_id: m.in_reply_to}) WHERE copy <> m
  WITH m, copy ORDER BY copy.source = m.source DESC, copy.uri
  RETURN head(collect(copy)) AS parent
}
CALL (m, parent) {
  MATCH (m)-[old:REPLIES_TO]->(other) WHERE parent IS NULL OR other <> parent DELETE old
}
WITH m, parent WHERE parent IS NOT NULL
MERGE (m)-[t:REPLIES_TO]->(parent)
  ON CREATE SET t.uid = m.uid + ':REPLIES_TO:' + parent.uid, t.predicate = 'REPLIES_TO',
    t.assigned_by = 'rule', t.confidence = 1.0, t.document_uid = m.uid, t.created_at = $now,
    t.valid_from = m.mtime, t.valid_to = datetime('9999-12-31T00:00:00Z'),
    t.invalidated_at = datetime('9999-12-31T00:00:00Z')
SET t.class = m.class, t.trust = m.trust, t.stamp = $version
