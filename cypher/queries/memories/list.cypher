// purpose: memories, last changed first, after a cursor
// params: $source $tag $kind $status $origin $text (lower case; null = any) $now $after_at $after_uid (null = from the newest) $limit
// returns: uid
CYPHER 25
MATCH (d:Memory)-[:FROM]->(s:Source)
WHERE ($source IS NULL OR s.slug = $source)
  AND ($tag IS NULL OR $tag IN d.tags)
  AND ($kind IS NULL OR d.kind = $kind)
  AND ($origin IS NULL OR d.origin = $origin)
  AND ($status IS NULL
       OR $status = CASE WHEN d.status = 'active' AND d.expires_at <= $now THEN 'archived' ELSE d.status END)
  AND ($after_uid IS NULL OR d.updated_at < $after_at OR d.updated_at = $after_at AND d.uid > $after_uid)
CALL (d) {
  WITH d WHERE $text IS NOT NULL
  MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN toLower(reduce(all = '', part IN collect(c.text) | all + part)) AS text
}
WITH d, text WHERE $text IS NULL OR toLower(d.title) CONTAINS $text OR text CONTAINS $text
RETURN d.uid AS uid ORDER BY d.updated_at DESC, d.uid LIMIT $limit
