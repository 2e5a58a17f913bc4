// purpose: memories with their text, evidence, and the models that hold all their vectors
// params: $uids $now
// returns: memory, source, root, texts, evidence [{kind, uid, title, uri}], embedded, pending (slugs)
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document:Memory {uid: uid})-[:FROM]->(s:Source)
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN collect(c.text) AS texts
}
CALL (d) {
  OPTIONAL MATCH (d)-[r:SUPPORTED_BY]->(e)
  OPTIONAL MATCH (e)<-[:HAS_CHUNK]-(parent:Document)
  WITH r, e, coalesce(parent, e) AS document ORDER BY e.uid
  RETURN [each IN collect({kind: r.kind, uid: e.uid, title: document.title, uri: document.uri})
          WHERE each.uid IS NOT NULL] AS evidence
}
CALL (d) {
  MATCH (m:EmbeddingModel) WHERE m.state <> 'retired'
  WITH m ORDER BY m.slug
  WITH m.slug AS slug, NOT EXISTS {
    MATCH (d)-[:HAS_CHUNK]->(c:Chunk) WHERE c['vec_' + m.slug] IS NULL
  } AS whole
  RETURN collect(CASE WHEN whole THEN slug END) AS embedded,
         collect(CASE WHEN NOT whole THEN slug END) AS pending
}
RETURN d {.uid, .uri, .path, .title, .class, .trust, .kind, .origin, .client, .tags, .subjects,
          .importance, .confidence, .confirmed, .tier, .is_titled, .revision, .recall_count,
          .recall_days, .last_recalled_at, .rehearsed_at, .expires_at, .created_at, .updated_at,
          .characters, .chunks, .content_sha256,
          status: CASE WHEN d.status = 'active' AND d.expires_at <= $now THEN 'archived' ELSE d.status END
       } AS memory,
       s.slug AS source, s.root AS root, texts, evidence, embedded, pending
