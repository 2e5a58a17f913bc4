// purpose: add a source, or change one; who adds one by hand that is declared leaves it declared
// params: $slug $properties $standing $now
// returns: created, is_read_anew (whether its files must be read again), removing
CYPHER 25
MERGE (s:Source {slug: $slug})
  ON CREATE SET s.created_at = $now, s._created = true
WITH s, coalesce(s._created, false) AS created, coalesce(s.removing, false) AS removing,
     s._created IS NULL AND (s.kind <> $properties.kind
       OR s.default_class <> $properties.default_class
       OR s.default_trust <> $properties.default_trust) AS is_read_anew
REMOVE s._created
SET s += $properties,
    s.standing = CASE s.standing WHEN 'declared' THEN 'declared' ELSE $standing END
RETURN created, is_read_anew, removing
