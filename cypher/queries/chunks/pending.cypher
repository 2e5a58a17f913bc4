// purpose: the next chunks without this model's vector
// params: $limit $slug; $$property
// returns: uid, context, text, class, content_sha256
CYPHER 25
MATCH (c:Unembedded) WHERE c.$$property IS NULL AND c['embed_error_' + $slug] IS NULL
RETURN c.uid AS uid, c.context AS context, c.text AS text, c.class AS class,
       c.content_sha256 AS content_sha256
LIMIT $limit
