// purpose: keep why a text has no vector of this model, so that the backfill does not try for ever
// params: $rows [{uid, content_sha256, reason}] $slugs; $$property (of the reason)
// returns: refused
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {uid: row.uid}) WHERE c.content_sha256 = row.content_sha256
SET c.$$property = row.reason, c.embed_attempts = coalesce(c.embed_attempts, 0) + 1
WITH c
CALL (c) {
  WITH c WHERE all(slug IN $slugs WHERE c['vec_' + slug] IS NOT NULL OR c['embed_error_' + slug] IS NOT NULL)
  REMOVE c:Unembedded
}
RETURN count(c) AS refused
