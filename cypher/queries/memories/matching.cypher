// purpose: the memories that a recall may return
// params: $sources $kinds (null = any) $at (the moment that it asks about) $archived (whether archived ones take part)
// returns: uid, chunks
CYPHER 25
MATCH (d:Memory)
WHERE d.source IN $sources AND ($kinds IS NULL OR d.kind IN $kinds) AND d.created_at <= $at
  AND ($archived AND d.status IN ['active', 'archived']
       OR (d.status = 'active' OR d.archived_at > $at) AND (d.expires_at IS NULL OR $at < d.expires_at))
RETURN d.uid AS uid, d.chunks AS chunks
