// purpose: the slugs of all sources
// params: none
// returns: slug
CYPHER 25
MATCH (s:Source) RETURN s.slug AS slug ORDER BY slug
