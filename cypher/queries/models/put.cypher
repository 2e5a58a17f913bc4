// purpose: register an embedding model, or read it back when it is there
// params: $slug $properties $now
// returns: slug, fingerprint, state, created (whether it is new)
CYPHER 25
MERGE (m:EmbeddingModel {slug: $slug})
  ON CREATE SET m += $properties, m.created_at = $now
WITH m
CALL (m) {
  // It was announced before anybody knew its width and weights.
  WITH m WHERE m.fingerprint = ''
  SET m += $properties
}
RETURN m.slug AS slug, m.fingerprint AS fingerprint, m.state AS state, m.created_at = $now AS created
