// purpose: the sources that hold memories
// params: none
// returns: slug
CYPHER 25
MATCH (s:Source)
WHERE s.kind = 'memory' OR s.kind = 'kept' AND EXISTS { (s)<-[:FROM]-(:Memory) }
RETURN s.slug AS slug ORDER BY slug
