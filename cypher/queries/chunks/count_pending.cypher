// purpose: how many chunks wait for this model's vector, and how many it refused
// params: $slug; $$property
// returns: pending, refused
CYPHER 25
RETURN COUNT {
  MATCH (c:Unembedded) WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL
} AS pending, COUNT {
  MATCH (c:Chunk) WHERE c['embed_error_' + $slug] IS NOT NULL
} AS refused
