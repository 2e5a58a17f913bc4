// purpose: keep what a memory says now, before it is changed
// params: $uid (of the revision) $memory $at $actor
// returns: number
CYPHER 25
MATCH (d:Document:Memory {uid: $memory})
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN reduce(all = '', part IN collect(c.text) | all + part) AS text
}
MERGE (r:Revision {uid: $uid})
SET r.of = d.uid, r.number = d.revision, r.text = text, r.title = d.title, r.is_titled = d.is_titled,
    r.tags = d.tags, r.subjects = d.subjects, r.kind = d.kind, r.importance = d.importance,
    r.expires_at = d.expires_at, r.class = d.class, r.trust = d.trust, r.origin = d.origin,
    r.client = d.client, r.confirmed = d.confirmed, r.confidence = d.confidence, r.tier = d.tier,
    r.at = $at, r.actor = $actor
RETURN r.number AS number
