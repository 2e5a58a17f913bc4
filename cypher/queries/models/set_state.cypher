// purpose: change the state of a model, or what it last failed with
// params: $slug $state $error (null = healthy)
// returns: nothing
CYPHER 25
MATCH (m:EmbeddingModel {slug: $slug}) SET m.state = $state, m.error = $error
