// purpose: the slugs of all sources, and the kind of each
// params: none
// returns: slug, kind
CYPHER 25
MATCH (s:Source) RETURN s.slug AS slug, s.kind AS kind ORDER BY slug
