// purpose: make sure that a source is there and stays there until commit
// params: $slug
// returns: kind, root, removing; no row = the source is gone
CYPHER 25
MATCH (s:Source {slug: $slug})
SET s._lock = true REMOVE s._lock
RETURN s.kind AS kind, s.root AS root, coalesce(s.removing, false) AS removing
