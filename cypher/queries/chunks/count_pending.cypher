// purpose: how many chunks wait for this model's vector, and how many it refused
// params: $slug; $$property
// returns: pending, refused
CYPHER 25
CALL () { MATCH (c:Unembedded) WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL RETURN count(c) AS pending }
CALL () { MATCH (c:Chunk) WHERE c['embed_error_' + $slug] IS NOT NULL RETURN count(c) AS refused }
RETURN pending, refused
