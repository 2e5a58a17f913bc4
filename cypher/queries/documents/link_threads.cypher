// purpose: bind each message of these threads to the thread's first
// params: $keys (of threads) $now $version
// returns: nothing
CYPHER 25
UNWIND $keys AS key
MATCH (m:Document {thread_key: key})
WITH key, m ORDER BY m.message_id = key DESC, m.mtime, m.uri
WITH key, collect(m) AS messages
WITH messages, head(messages) AS first
UNWIND messages AS m
CALL (m, first) {
  MATCH (m)-[old:IN_THREAD]->(other) WHERE other <> first OR m = first DELETE old
}
WITH m, first WHERE m <> first
MERGE (m)-[t:IN_THREAD]->(first)
  ON CREATE SET t.uid = m.uid + ':IN_THREAD:' + first.uid, t.predicate = 'IN_THREAD',
    t.assigned_by = 'rule', t.confidence = 1.0, t.document_uid = m.uid, t.created_at = $now,
    t.valid_from = m.mtime, t.valid_to = datetime('9999-12-31T00:00:00Z'),
    t.invalidated_at = datetime('9999-12-31T00:00:00Z')
SET t.class = m.class, t.trust = m.trust, t.stamp = $version
