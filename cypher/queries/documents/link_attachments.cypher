// purpose: connect attachments to their message
// params: $rows [{uri, message_uri}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (a:Document {uri: row.uri})
MATCH (m:Document {uri: row.message_uri})
MERGE (a)-[t:ATTACHMENT_OF]->(m)
  ON CREATE SET t.uid = a.uid + ':ATTACHMENT_OF:' + m.uid, t.predicate = 'ATTACHMENT_OF',
    t.assigned_by = 'rule', t.confidence = 1.0, t.document_uid = a.uid, t.created_at = $now,
    t.valid_from = m.mtime, t.valid_to = datetime('9999-12-31T00:00:00Z'),
    t.invalidated_at = datetime('9999-12-31T00:00:00Z')
SET t.class = a.class, t.trust = a.trust, t.stamp = $version
