// purpose: remove a source whose documents are gone
// params: $slug
// returns: slug
CYPHER 25
MATCH (s:Source {slug: $slug}) WHERE NOT EXISTS { (s)<-[:FROM]-() }
WITH s, s.slug AS slug
DETACH DELETE s
RETURN slug
