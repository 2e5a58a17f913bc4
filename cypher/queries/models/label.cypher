// purpose: label the next chunks that lack this model's vector and were not refused one
// params: $slug $limit; $$property
// returns: labelled
CYPHER 25
MATCH (c:Chunk&!Unembedded)
WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL
WITH c LIMIT $limit
SET c:Unembedded
RETURN count(c) AS labelled
