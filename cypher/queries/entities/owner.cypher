// purpose: the person that the owner is, when known
// params: none
// returns: uid
CYPHER 25
MATCH (e:Author) WHERE e.is_self RETURN e.uid AS uid ORDER BY uid LIMIT 1
