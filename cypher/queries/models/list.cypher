// purpose: the registered embedding models, and how much waits; that number is read from the count store
// params: none
// returns: name, slug, provider, dimensions, fingerprint, state, error, waiting (chunks that lack the vector of
//   at least one model; the same in every row)
CYPHER 25
MATCH (m:EmbeddingModel)
RETURN m.name AS name, m.slug AS slug, m.provider AS provider, m.dimensions AS dimensions,
       m.fingerprint AS fingerprint, m.state AS state, m.error AS error,
       COUNT { (:Unembedded) } AS waiting
ORDER BY slug
