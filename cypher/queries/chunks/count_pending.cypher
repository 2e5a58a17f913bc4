// purpose: how many chunks wait for this model's vector
// params: $slug; $$property
// returns: pending
CYPHER 25
MATCH (c:Unembedded) WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL
RETURN count(c) AS pending
