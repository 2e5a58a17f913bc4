// purpose: archive memories: their text stays, their place in the store is free for the same text again
// params: $uids $now
// returns: archived
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document:Memory {uid: uid}) WHERE d.status = 'active'
SET d.status = 'archived', d.archived_at = $now, d.store_key = null
RETURN count(d) AS archived
