// purpose: make sure that the inbox of handed over texts is there, and stays until commit
// params: $slug $root $now
// returns: root, removing
CYPHER 25
MERGE (s:Source {slug: $slug})
  ON CREATE SET s.kind = 'inbox', s.root = $root, s.standing = 'added', s.ignore = [], s.patterns = [],
    s.tags = [], s.default_class = 'document', s.default_trust = 'authored', s.created_at = $now
SET s._lock = true REMOVE s._lock
RETURN s.root AS root, coalesce(s.removing, false) AS removing
