// purpose: add a source, or change one; who adds one by hand that is declared leaves it declared
// params: $slug $properties $standing $now
// returns: created, is_read_anew (whether its files must be read again), removing
CYPHER 25
MERGE (s:Source {slug: $slug})
  ON CREATE SET s.created_at = $now
// By its moment: when the reply to the first commit was lost, the second try still made it.
WITH s, s.created_at = $now AS created, coalesce(s.removing, false) AS removing,
     s.kind <> $properties.kind
       OR s.default_class <> $properties.default_class
       OR s.default_trust <> $properties.default_trust
       OR coalesce(s.tags, []) <> $properties.tags AS differs
SET s += $properties,
    s.standing = CASE s.standing WHEN 'declared' THEN 'declared' ELSE $standing END
RETURN created, NOT created AND differs AS is_read_anew, removing
