// purpose: how many memories a filter lets through, and in how many sources they are
// params: $source $tag $kind $status $origin $text (lower case; null = any) $now
// returns: total, sources
CYPHER 25
MATCH (d:Memory)-[:FROM]->(s:Source)
WHERE ($source IS NULL OR s.slug = $source)
  AND ($tag IS NULL OR $tag IN d.tags)
  AND ($kind IS NULL OR d.kind = $kind)
  AND ($origin IS NULL OR d.origin = $origin)
  AND ($status IS NULL
       OR $status = CASE WHEN d.status = 'active' AND d.expires_at <= $now THEN 'archived' ELSE d.status END)
CALL (d) {
  WITH d WHERE $text IS NOT NULL
  MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN toLower(reduce(all = '', part IN collect(c.text) | all + part)) AS text
}
WITH d, s, text WHERE $text IS NULL OR toLower(d.title) CONTAINS $text OR text CONTAINS $text
RETURN count(d) AS total, count(DISTINCT s) AS sources
