// purpose: how many chunks this model refused; looks at every chunk
// params: $slug
// returns: refused
CYPHER 25
MATCH (c:Chunk) WHERE c['embed_error_' + $slug] IS NOT NULL
RETURN count(c) AS refused
