// purpose: the registered embedding models
// params: none
// returns: name, slug, provider, dimensions, fingerprint, state, error
CYPHER 25
MATCH (m:EmbeddingModel)
RETURN m.name AS name, m.slug AS slug, m.provider AS provider, m.dimensions AS dimensions,
       m.fingerprint AS fingerprint, m.state AS state, m.error AS error
ORDER BY slug
