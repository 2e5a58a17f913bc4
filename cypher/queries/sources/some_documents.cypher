// purpose: the next documents of a source, at most $limit
// params: $slug $limit
// returns: uid, chunks
CYPHER 25
MATCH (:Source {slug: $slug})<-[:FROM]-(d:Document)
RETURN d.uid AS uid, d.chunks AS chunks LIMIT $limit
