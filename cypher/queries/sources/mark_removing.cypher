// purpose: refuse further ingest into a source that is being removed, and say whether its documents stay
// params: $slug $keeps
// returns: slug, is_refused (whether a removal that keeps the documents would become one that does not)
CYPHER 25
MATCH (s:Source {slug: $slug})
WITH s, coalesce(s.keeping, false) AND NOT $keeps AS is_refused
SET s.removing = true, s.keeping = $keeps
RETURN s.slug AS slug, is_refused
