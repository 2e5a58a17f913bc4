// purpose: the live memory of a store that has this text
// params: $key
// returns: uid, revision, expires_at
CYPHER 25
MATCH (m:Memory {store_key: $key})
RETURN m.uid AS uid, m.revision AS revision, m.expires_at AS expires_at
