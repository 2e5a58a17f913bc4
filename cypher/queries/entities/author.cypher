// purpose: say who wrote a document
// params: $rows [{document_uid, entity_uid, class, trust, valid_from}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.document_uid})
MATCH (e:Entity {uid: row.entity_uid})
MERGE (d)-[t:AUTHORED_BY]->(e)
  ON CREATE SET t.uid = d.uid + ':AUTHORED_BY:' + e.uid, t.predicate = 'AUTHORED_BY',
    t.assigned_by = 'rule', t.confidence = 1.0, t.document_uid = d.uid, t.created_at = $now,
    t.valid_to = datetime('9999-12-31T00:00:00Z'),
    t.invalidated_at = datetime('9999-12-31T00:00:00Z')
SET t.class = row.class, t.trust = row.trust, t.valid_from = row.valid_from, t.stamp = $version
