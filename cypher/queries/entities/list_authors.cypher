// purpose: who wrote how much
// params: $limit
// returns: uid, name, is_self, documents
CYPHER 25
MATCH (e:Author)<-[:AUTHORED_BY]-(d:Document)
RETURN e.uid AS uid, e.name AS name, coalesce(e.is_self, false) AS is_self, count(d) AS documents
ORDER BY documents DESC, name LIMIT $limit
