// purpose: make an archived memory live again, unless it expired or its store says the same by now
// params: $uid $now
// returns: uid; no row = it stays archived
CYPHER 25
MATCH (d:Document:Memory {uid: $uid})
SET d._lock = true REMOVE d._lock
WITH d, d.source + ':' + d.content_sha256 AS key
WHERE d.status = 'archived' AND (d.expires_at IS NULL OR $now < d.expires_at)
  AND NOT EXISTS { (:Memory {store_key: key}) }
SET d.status = 'active', d.archived_at = null, d.store_key = CASE WHEN d.origin = 'file' THEN null ELSE key END
RETURN d.uid AS uid
