// purpose: make sure that the source of kept documents is there, and stays until commit
// params: $slug $now
// returns: kind, removing
CYPHER 25
MERGE (k:Source {slug: $slug})
  ON CREATE SET k.kind = 'kept', k.root = '', k.standing = 'kept', k.ignore = [], k.patterns = [], k.tags = [],
    k.default_class = 'document', k.default_trust = 'authored', k.created_at = $now
SET k._lock = true REMOVE k._lock
RETURN k.kind AS kind, coalesce(k.removing, false) AS removing
