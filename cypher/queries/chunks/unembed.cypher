// purpose: mark kept chunks whose context changed as pending, without their vectors and refusals
// params: $uids
// returns: nothing
CYPHER 25
MATCH (m:EmbeddingModel)
WITH collect(m.slug) AS slugs
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
SET c:Unembedded
WITH c, slugs
UNWIND slugs AS slug
SET c['vec_' + slug] = null, c['embed_error_' + slug] = null
