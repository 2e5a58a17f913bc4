// purpose: add a source, or change one
// params: $slug $properties $now
// returns: created, is_read_anew (whether its files must be read again), removing
CYPHER 25
MERGE (s:Source {slug: $slug})
  ON CREATE SET s.created_at = $now
// By its moment: when the reply to the first commit was lost, the second try still made it.
WITH s, s.created_at = $now AS created, coalesce(s.removing, false) AS removing,
     s.kind <> $properties.kind
       OR s.default_class <> $properties.default_class
       OR s.default_trust <> $properties.default_trust AS differs
SET s += $properties
RETURN created, NOT created AND differs AS is_read_anew, removing
