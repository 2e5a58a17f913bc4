// purpose: chunks marked as pending that lack no vector, or not marked though they do
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (m:EmbeddingModel) WHERE m.state <> 'retired'
WITH collect(m.slug) AS slugs WHERE slugs <> []
MATCH (c:Chunk)
WITH c, any(slug IN slugs WHERE c['vec_' + slug] IS NULL AND c['embed_error_' + slug] IS NULL) AS lacks
WHERE lacks <> (c:Unembedded)
RETURN c.uid AS thing ORDER BY thing LIMIT $limit
