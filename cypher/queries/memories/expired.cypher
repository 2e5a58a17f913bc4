// purpose: live memories that have expired
// params: $now $limit
// returns: uid
CYPHER 25
MATCH (d:Memory) WHERE d.expires_at <= $now AND d.status = 'active'
RETURN d.uid AS uid LIMIT $limit
