// purpose: refuse further ingest into a source that is being removed
// params: $slug
// returns: slug
CYPHER 25
MATCH (s:Source {slug: $slug}) SET s.removing = true RETURN s.slug AS slug
