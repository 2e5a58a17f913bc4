// purpose: how many memories a recall leaves out, and how many there are
// params: $sources $kinds (null = any) $at (the moment that it asks about) $archived (whether archived ones take part)
// returns: excluded, total
CYPHER 25
MATCH (d:Memory)
RETURN count(d) AS total, count(CASE
  WHEN d.source IN $sources AND ($kinds IS NULL OR d.kind IN $kinds) AND d.created_at <= $at
    AND ($archived AND d.status IN ['active', 'archived']
         OR (d.status = 'active' OR d.archived_at > $at) AND (d.expires_at IS NULL OR $at < d.expires_at))
  THEN null ELSE 1 END) AS excluded
